// SPDX-License-Identifier: GPL-3.0-or-later
// An executor without a model: the token after position p of a request is a fixed function of (request, p).
// It keeps KV the way a device does, so that a wrong block table, a lost token or a reused block shows as a
// wrong token.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/step/step_plan.h"

namespace pitwall::test {

TokenId token_after(RequestId request, std::int32_t position);

class FakeExecutor {
 public:
  FakeExecutor(int slots, int blocks, int block_size);
  /// Runs the plan at once; problems() says what was inconsistent.
  StepResult run(const StepPlan& plan);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Slot {
    RequestId request;
    TokenId last_token = 0;
    std::vector<BlockId> table;
  };
  struct Written {
    RequestId request;
    std::int32_t position = -1;
    TokenId token = 0;
  };
  void write(const SequenceSlice& slice, std::int32_t position, TokenId token);
  void read_back(const SequenceSlice& slice);

  int block_size_;
  std::vector<Slot> slots_;
  std::vector<Written> kv_;  // by block · block_size + offset
  std::map<RequestId, std::map<std::int32_t, TokenId>> inputs_;
  std::vector<std::string> problems_;
};

}  // namespace pitwall::test
