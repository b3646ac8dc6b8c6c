// SPDX-License-Identifier: GPL-3.0-or-later
// The KV blocks of the CPU back end and the swap space beside them: where a head's numbers lie, how a token's
// are written, how blocks move. Keys lie transposed in their block ([kv_heads][head_dim][block_size]) so that
// scores need no sums across lanes; values lie as kv_layout.h says.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "engine/execute/backend.h"
#include "kernels/cpu/booked_memory.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/parallel.h"

namespace pitwall {

class KvPool {
 public:
  struct Layer {
    int kv_heads, head_dim;
    std::int64_t offset, head_bytes;        ///< from the block's start; of one head's keys, or values
    std::vector<float> k_scales, v_scales;  ///< one per kv head, 1 unless the dtype is fp8_e4m3
    std::int64_t key_offset(int kv_head) const { return offset + kv_head * head_bytes; }
    std::int64_t value_offset(int kv_head) const { return key_offset(kv_heads + kv_head); }
  };

  /// Replaces what was there. Errors name the sizes or the scale at fault.
  Result<void> allocate(Ledger& ledger, const KvLayout& layout, int blocks);
  Result<void> allocate_swap(Ledger& ledger, int host_blocks);

  KvDtype dtype() const { return dtype_; }
  int block_size() const { return block_size_; }
  Bytes block_bytes() const { return block_bytes_; }
  int blocks() const { return blocks_; }
  const std::vector<Layer>& layers() const { return layers_; }
  const std::byte* data() const { return memory_.as<std::byte>(); }

  /// Writes K and V of one token (kv_heads × head_dim floats each) as position `column` of a block.
  /// `scratch`: head_dim floats. Threads may write different positions at once.
  void append(const KernelTable& kernels, int layer, int block, int column, const float* k, const float* v,
              float* scratch);

  /// The plan's swaps out, swaps in and copies, in this order. The plan has passed StepState::check_moves.
  void move(const StepPlan& plan, ThreadTeam& team);

  std::vector<KvSaturation> saturation() const;

 private:
  struct Counters {
    std::atomic<std::int64_t> values{0}, saturated{0};
  };

  template <class Number, class Narrow>
  void append_as(const Layer& layer, std::byte* block, int column, const float* k, const float* v,
                 float* scratch, const Narrow& narrow) const;
  std::byte* block(BlockId id) const { return memory_.as<std::byte>() + id.value * block_bytes_; }
  std::byte* host_block(HostBlockId id) const { return swap_.as<std::byte>() + id.value * block_bytes_; }
  float* scales(const Layer& layer, std::byte* head) const;
  template <class Move>
  void move_whole(std::size_t count, ThreadTeam& team, const Move& ends) const;
  void copy_layer(const Layer& layer, const BlockCopy& copy) const;
  void copy_head(const Layer& layer, std::int64_t keys, std::int64_t values, const BlockCopy& copy) const;

  KvDtype dtype_ = KvDtype::bfloat16;
  int block_size_ = 1, blocks_ = 0;
  Bytes block_bytes_ = 0;
  std::vector<Layer> layers_;
  std::unique_ptr<Counters[]> counters_;  ///< by layer
  BookedMemory memory_, swap_;
};

}  // namespace pitwall
