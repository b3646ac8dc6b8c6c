// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/moe_routing.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/execute/reference_ops.h"
#include "kernels/cuda/moe_routing.h"
#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

constexpr double kExact = 1e-12;

struct Routing {
  int live, padding, experts, top_k;
  bool renormalise;
  float step;          ///< logits are multiples of it: ties where it is large
  bool rests = false;  ///< of the input and of the weights
  int rows() const { return live + padding; }
  int choices() const { return rows() * top_k; }
};

std::string text(const Routing& routing) {
  return std::to_string(routing.live) + " + " + std::to_string(routing.padding) + " rows, " +
         std::to_string(routing.top_k) + " of " + std::to_string(routing.experts) +
         (routing.renormalise ? ", renormalised" : "") + (routing.step > 0.1f ? ", ties" : "") +
         (routing.rests ? ", in parts" : "");
}

HostRows router_logits(const Routing& routing) {
  HostRows logits = random_rows(1, routing.rows(), routing.experts, 2);
  for (float& logit : logits.numbers) logit = std::round(logit / routing.step) * routing.step;
  return logits;
}

/// Products whose sums are the logits, exactly.
HostRows router_products(const Routing& routing, const HostRows& logits) {
  if (!routing.rests) return logits;
  HostRows products{2 * routing.rows(), 2 * routing.experts, {}};
  products.numbers.assign(4 * logits.numbers.size(), std::nanf(""));  // those of two rests are not read
  for (int row = 0; row < routing.rows(); ++row) {
    for (int expert = 0; expert < routing.experts; ++expert) {
      const auto place = [&](int r, int column) -> float& {
        return products.numbers[static_cast<std::size_t>(r) * static_cast<std::size_t>(products.columns) +
                                static_cast<std::size_t>(column)];
      };
      place(row, expert) = logits.row(row)[expert] - 0.75f;
      place(row, routing.experts + expert) = 0.25f;
      place(routing.rows() + row, expert) = 0.5f;
    }
  }
  return products;
}

MoeSpec spec_of(const Routing& routing) {
  MoeSpec spec;
  spec.experts = routing.experts;
  spec.top_k = routing.top_k;
  spec.renormalise = routing.renormalise;
  return spec;
}

std::vector<std::vector<reference::Choice>> routed(const Routing& routing, const HostRows& logits) {
  std::vector<std::vector<reference::Choice>> result;
  for (int row = 0; row < routing.live; ++row)
    result.push_back(
        reference::route({logits.row(row), static_cast<std::size_t>(routing.experts)}, spec_of(routing)));
  return result;
}

/// Arrays of a VisitList one after another, as the outputs are added; −1 where nothing is written.
std::vector<double> expected_visits(const Routing& routing, const HostRows& logits) {
  const auto rows = routed(routing, logits);
  const auto choices = static_cast<std::size_t>(routing.choices()),
             top_k = static_cast<std::size_t>(routing.top_k);
  std::vector<double> first_visit{0}, visit_rows, row_experts(choices, -1), row_visits(choices, -1);
  for (int expert = 0; expert < routing.experts; ++expert) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < top_k; ++i) {
        if (rows[row][i].expert != expert) continue;
        row_experts[row * top_k + i] = expert;
        row_visits[row * top_k + i] = static_cast<double>(visit_rows.size());
        visit_rows.push_back(static_cast<double>(row));
      }
    }
    first_visit.push_back(static_cast<double>(visit_rows.size()));
  }
  visit_rows.resize(choices, -1);
  for (const auto* part : {&visit_rows, &row_experts, &row_visits})
    first_visit.insert(first_visit.end(), part->begin(), part->end());
  return first_visit;
}

void build_routing(const Routing& routing, bool of_weights, RowsCase& made) {
  const HostRows logits = router_logits(routing);
  std::vector<std::int32_t> slot_of(static_cast<std::size_t>(routing.rows()), 3);
  std::fill_n(slot_of.rbegin(), routing.padding, -1);
  StepView step{};
  step.slots = made.memory.upload(slot_of);
  const HostRows products = router_products(routing, logits);
  const RouterLogits in{made.put32(products, {(products.columns + 3) / 4 * 4, 0}),
                        routing.rests ? routing.rows() : 0, routing.rests ? routing.experts : 0};
  VisitList visits =
      visit_list_at(made.memory.take(visit_list_bytes(routing.rows(), routing.experts, routing.top_k)),
                    routing.rows(), routing.experts, routing.top_k);
  if (of_weights) {
    visits.row_weights = made.output_floats(routing.choices());
  } else {
    visits.first_visit = made.output_ints(routing.experts + 1);
    visits.visit_rows = made.output_ints(routing.choices());
    visits.row_experts = made.output_ints(routing.choices());
    visits.row_visits = made.output_ints(routing.choices());
  }
  made.run = [=](int, cudaStream_t stream) {
    route_rows(step, in, spec_of(routing), visits, routing.rows(), stream);
  };
  made.expected = [=] {
    if (!of_weights) return expected_visits(routing, logits);
    std::vector<double> weights;
    for (const auto& choices : routed(routing, logits)) {
      for (const reference::Choice& choice : choices) weights.push_back(static_cast<double>(choice.weight));
    }
    weights.resize(static_cast<std::size_t>(routing.choices()), 0);
    return weights;
  };
}

KernelCase routing_case(const Routing& routing, bool of_weights, bool timed) {
  RowsCaseWords words{"route_rows", text(routing) + (of_weights ? ": weights" : ": visits")};
  words.bytes = static_cast<double>(routing.rows()) * (4 * routing.experts + 16 * routing.top_k);
  words.tolerance = of_weights ? 1e-5 : kExact;
  words.timed = timed;
  return rows_case(words, [=](RowsCase& made) { build_routing(routing, of_weights, made); });
}

struct Combining {
  int rows, padding, columns, top_k;
  bool narrow;  ///< into 16 bits, without a residual
  bool half = false;
};

KernelCase combine_case(const Combining& wish, bool timed) {
  constexpr float kScale = 0.5f;
  const int visits = wish.rows * wish.top_k;
  RowsCaseWords words{"combine_visits", std::to_string(wish.rows) + " rows of " +
                                            std::to_string(wish.columns) + ", " + std::to_string(wish.top_k) +
                                            " each" + (wish.narrow ? ", 16 bits" : ", float32") +
                                            (wish.half ? " of float16" : "")};
  words.bytes = static_cast<double>(wish.columns) * (2.0 * visits + (wish.narrow ? 2.0 : 8.0) * wish.rows);
  words.tolerance = !wish.narrow ? 1e-5 : wish.half ? 5e-4 : 4e-3;  // rounding of a few numbers
  words.timed = timed;
  words.sets = timed ? sets_for(words.bytes) : 1;
  return rows_case(words, [=](RowsCase& made) {
    if (wish.half) made.use_half(made.memory.cut());
    const int all = wish.rows + wish.padding;
    const auto choices = static_cast<std::size_t>(all * wish.top_k);
    const HostRows results = made.rounded(random_rows(1, visits, wish.columns));
    const HostRows residual = random_rows(2, all, wish.columns);
    std::vector<float> weights = random_numbers(3, choices);
    std::vector<std::int32_t> row_visits(choices, -1);
    for (int i = 0; i < visits; ++i)  // some order without neighbours
      row_visits[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((std::int64_t{i} * 7 + 3) % visits);
    VisitList list;
    list.row_visits = made.memory.upload(row_visits);
    list.row_weights = made.memory.upload(weights);
    const int stride = (wish.columns + 7) / 8 * 8;
    const Rows16 in = made.put16(results, {stride, 0});
    if (wish.narrow) {
      const Rows16 out = made.output16(all, wish.columns, {stride, 0});
      made.run = [=, &made](int turn, cudaStream_t stream) {
        combine_visits({}, made.at(in, turn), list, wish.top_k, kScale, {}, made.at(out, turn), all, stream);
      };
    } else {
      const Rows32 out = made.output32(all, wish.columns, {stride, 0}, &residual);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        combine_visits({}, made.at(in, turn), list, wish.top_k, kScale, made.at(out, turn),
                       made.at(out, turn), all, stream);
      };
    }
    made.expected = [=] {
      std::vector<double> expected;
      for (const int row : compared_rows(all)) {
        for (int column = 0; column < wish.columns; ++column) {
          double sum = 0;
          for (int i = 0; i < wish.top_k; ++i) {
            const auto choice = static_cast<std::size_t>(row * wish.top_k + i);
            if (row_visits[choice] < 0) continue;
            sum += static_cast<double>(weights[choice]) *
                   static_cast<double>(results.row(row_visits[choice])[column]);
          }
          const double before = wish.narrow ? 0.0 : static_cast<double>(residual.row(row)[column]);
          expected.push_back(static_cast<double>(kScale) * sum + before);
        }
      }
      return expected;
    };
  });
}

}  // namespace

std::vector<KernelCase> routing_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  std::vector<Routing> routings{
      {3, 2, 8, 2, true, 1.0f}, {5, 0, 60, 4, false, 1.0f / 1024}, {7, 2, 40, 3, true, 1.0f / 1024, true}};
  std::vector<Combining> combinings{
      {3, 2, 28, 2, false}, {2, 0, 141, 5, true}, {3, 1, 32, 2, false, true}, {2, 0, 141, 5, true, true}};
  if (scale == CaseScale::full) {
    routings.insert(routings.end(), {{1, 0, 8, 2, true, 1.0f / 1024},
                                     {64, 3, 128, 8, true, 1.0f / 1024},
                                     {300, 20, 128, 8, false, 0.5f},
                                     {77, 0, 512, 10, true, 1.0f / 1024},
                                     {40, 1, 384, 16, false, 1.0f},
                                     {33, 0, 1, 1, false, 1.0f},
                                     {5000, 7, 64, 6, true, 1.0f / 1024}});
    combinings.insert(combinings.end(),
                      {{1, 0, 4096, 2, false}, {70, 3, 2048, 8, false}, {9, 0, 577, 16, true}});
  }
  for (const Routing& routing : routings) {
    for (const bool of_weights : {false, true}) cases.push_back(routing_case(routing, of_weights, false));
  }
  for (const Combining& wish : combinings) cases.push_back(combine_case(wish, false));
  if (scale == CaseScale::full) {
    for (const int rows : {1, 64, 4096}) {
      cases.push_back(routing_case({rows, 0, 128, 8, true, 1.0f / 1024}, false, true));
      cases.push_back(combine_case({rows, 0, 2048, 8, false}, true));
    }
  }
  return cases;
}

}  // namespace pitwall::cuda
