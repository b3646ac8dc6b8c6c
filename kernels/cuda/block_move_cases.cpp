// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/block_moves.h: some blocks go out, some are copied, and what went out comes in
// elsewhere.
#include <algorithm>

#include "kernels/cuda/block_moves.h"
#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

struct Moving {
  KvDtype dtype;
  int block_size, layers, blocks, moves;
};

std::string text(const Moving& wish) {
  return std::to_string(wish.moves) + " blocks of " + std::to_string(wish.block_size) + " in " +
         std::to_string(wish.layers) + " layers, " + std::string(kv_dtype_name(wish.dtype));
}

/// Layers of several shapes.
KvView layer_view(const Moving& wish, int layer) {
  KvView view;
  view.dtype = wish.dtype;
  view.block_size = wish.block_size;
  view.kv_heads = 1 + layer % 3;
  view.head_dim = layer % 2 == 0 ? 24 : 64;
  view.padded_dim = (view.head_dim + 15) / 16 * 16;
  return view;
}

/// A pool as float32 words: K and V of each head one after another, `of_head` words each.
struct Words {
  std::vector<float> numbers;
  std::size_t of_token, of_head, of_block;
  auto block(std::int32_t i) {
    return numbers.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * of_block);
  }
};

Words words_of(const KvView& view, int token_bytes, int blocks, std::uint64_t seed) {
  Words words;
  words.of_token = static_cast<std::size_t>(token_bytes) / 4;
  words.of_head = words.of_token * static_cast<std::size_t>(view.block_size);
  words.of_block = words.of_head * 2 * static_cast<std::size_t>(view.kv_heads);
  words.numbers = random_numbers(seed, words.of_block * static_cast<std::size_t>(blocks));
  return words;
}

struct Lists {
  std::vector<BlockSwap> out, in;
  std::vector<BlockCopy> copies;
};

/// Blocks 0 … moves − 1 go out, the next ones are copied to the ones after them, the last come in.
Lists lists_of(const Moving& wish) {
  Lists lists;
  const int n = wish.moves;
  for (std::int32_t i = 0; i < n; ++i) {
    lists.out.push_back({BlockId{i}, HostBlockId{(i * 7 + 1) % n}});
    lists.in.push_back({BlockId{3 * n + i}, HostBlockId{i}});
    lists.copies.push_back({BlockId{n + i}, BlockId{2 * n + i}, 1 + i % wish.block_size});
  }
  return lists;
}

std::vector<double> moved(Words words, const Lists& lists) {
  std::vector<std::vector<float>> host(lists.out.size());
  for (const BlockSwap& swap : lists.out) {
    const auto block = words.block(swap.block.value);
    host[static_cast<std::size_t>(swap.host.value)].assign(
        block, block + static_cast<std::ptrdiff_t>(words.of_block));
  }
  for (const BlockSwap& swap : lists.in) {
    const std::vector<float>& content = host[static_cast<std::size_t>(swap.host.value)];
    std::copy(content.begin(), content.end(), words.block(swap.block.value));
  }
  for (const BlockCopy& copy : lists.copies) {
    for (std::size_t head = 0; head < words.of_block; head += words.of_head)
      std::copy_n(words.block(copy.from.value) + static_cast<std::ptrdiff_t>(head),
                  words.of_token * static_cast<std::size_t>(copy.tokens),
                  words.block(copy.to.value) + static_cast<std::ptrdiff_t>(head));
  }
  return {words.numbers.begin(), words.numbers.end()};
}

std::shared_ptr<std::byte> pinned(std::int64_t bytes) {
  void* place = nullptr;
  cudaHostAlloc(&place, static_cast<std::size_t>(bytes), cudaHostAllocMapped | cudaHostAllocPortable);
  return {static_cast<std::byte*>(place), [](std::byte* taken) { cudaFreeHost(taken); }};
}

KernelCase move_case(const Moving& wish) {
  RowsCaseWords words{"block_moves", text(wish)};
  words.tolerance = 1e-12;
  return rows_case(words, [=](RowsCase& made) {
    const Lists lists = lists_of(wish);
    std::vector<KvView> views;
    std::vector<Words> pools;
    const auto place_of = [&](const Words& pool) {
      const HostRows before{1, static_cast<int>(pool.numbers.size()), pool.numbers};
      return made.output32(1, before.columns, {before.columns, 0}, &before).data;
    };
    for (int layer = 0; layer < wish.layers; ++layer) {
      KvView view = layer_view(wish, layer);
      const auto seed = static_cast<std::uint64_t>(2 * layer);
      pools.push_back(words_of(view, view.padded_dim * kv_dtype_bytes(wish.dtype), wish.blocks, seed));
      view.numbers = reinterpret_cast<std::byte*>(place_of(pools.back()));
      if (wish.dtype == KvDtype::int8) {
        pools.push_back(words_of(view, kv_dtype_scale_bytes(wish.dtype), wish.blocks, seed + 1));
        view.token_scales = place_of(pools.back());
      }
      views.push_back(view);
    }
    const std::int64_t block_bytes = host_block_bytes(views);
    const std::shared_ptr<std::byte> host = pinned(block_bytes * wish.moves);
    made.run = [=](int, cudaStream_t stream) {
      const MoveSpace space{views, host.get(), block_bytes};
      swap_out(space, lists.out, stream);
      swap_in(space, lists.in, stream);
      copy_blocks(space, lists.copies, stream);
    };
    made.expected = [=] {
      std::vector<double> result;
      for (const Words& pool : pools) {
        const std::vector<double> part = moved(pool, lists);
        result.insert(result.end(), part.begin(), part.end());
      }
      return result;
    };
  });
}

enum class Way { out, in, copy };

/// Blocks of 32 tokens in 32 layers of 8 heads of 128, as bf16: 128 KB a layer. Nothing is compared.
KernelCase timed_case(Way way, int blocks) {
  constexpr int kLayers = 32;
  constexpr double kLayerBytes = 2.0 * 8 * 32 * 128 * 2;
  const char* names[] = {"swap_out", "swap_in", "copy_blocks"};
  RowsCaseWords words{names[static_cast<int>(way)],
                      std::to_string(blocks) + " blocks of 32 in 32 layers of 8 heads of 128"};
  words.bytes = kLayers * kLayerBytes * blocks * (way == Way::copy ? 2 : 1);
  words.tolerance = 1e-12;
  words.timed = true;
  return rows_case(words, [=](RowsCase& made) {
    KvView view{KvDtype::bfloat16, 8, 128, 128, 32};
    std::vector<KvView> views;
    for (int layer = 0; layer < kLayers; ++layer) {
      view.numbers = static_cast<std::byte*>(
          made.memory.take(static_cast<std::size_t>(kLayerBytes) * 2 * static_cast<std::size_t>(blocks)));
      views.push_back(view);
    }
    const std::int64_t block_bytes = host_block_bytes(views);
    const std::shared_ptr<std::byte> host = pinned(block_bytes * blocks);
    std::vector<BlockSwap> swaps;
    std::vector<BlockCopy> copies;
    for (std::int32_t i = 0; i < blocks; ++i) {
      swaps.push_back({BlockId{i}, HostBlockId{i}});
      copies.push_back({BlockId{i}, BlockId{blocks + i}, 32});
    }
    made.run = [=](int, cudaStream_t stream) {
      const MoveSpace space{views, host.get(), block_bytes};
      if (way == Way::out) swap_out(space, swaps, stream);
      if (way == Way::in) swap_in(space, swaps, stream);
      if (way == Way::copy) copy_blocks(space, copies, stream);
    };
    made.expected = [] { return std::vector<double>{}; };
  });
}

}  // namespace

std::vector<KernelCase> block_move_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  std::vector<Moving> wishes{{KvDtype::bfloat16, 16, 2, 12, 3}, {KvDtype::int8, 16, 2, 8, 2}};
  if (scale == CaseScale::full) {
    wishes.insert(wishes.end(), {{KvDtype::fp8_e4m3, 32, 3, 20, 5},
                                 {KvDtype::int8, 64, 3, 20, 4},
                                 {KvDtype::float16, 32, 70, 8, 2},
                                 {KvDtype::int8, 16, 2, 1320, 330}});
  }
  for (const Moving& wish : wishes) cases.push_back(move_case(wish));
  if (scale == CaseScale::full) {
    for (const Way way : {Way::out, Way::in, Way::copy}) {
      for (const int blocks : {1, 32}) cases.push_back(timed_case(way, blocks));
    }
  }
  return cases;
}

}  // namespace pitwall::cuda
