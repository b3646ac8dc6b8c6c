// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/matcher.h"

#include <algorithm>
#include <set>

#include "engine/grammar/hash.h"

namespace pitwall {

namespace {

using Kind = GrammarPart::Kind;
constexpr StackId kEmptyStack = 0;

}  // namespace

Matcher::Matcher(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {
  intern(Stack{.tops = {}, .bottom = true});
  start_ = intern(behind(push(opened(grammar_->root), kEmptyStack)));
}

StackId Matcher::intern(Stack stack) {
  std::uint64_t hash = stack.bottom ? 1 : 0;
  for (const auto& [frame, below] : stack.tops) {
    hash = mix_hash(hash, static_cast<std::uint64_t>(frame.part) << 32 | below);
    hash = mix_hash(hash, static_cast<std::uint64_t>(frame.min) << 32 | frame.max);
  }
  const auto [begin, end] = stack_ids_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (stacks_[known->second] == stack) return known->second;
  }
  memory_ += 64 + sizeof(Stack) + stack.tops.size() * sizeof(stack.tops[0]);
  const auto id = static_cast<StackId>(stacks_.size());
  stack_ids_.emplace(hash, id);
  stacks_.push_back(std::move(stack));
  return id;
}

StackId Matcher::push(Frame frame, StackId below) {
  return intern(Stack{.tops = {{frame, below}}, .bottom = false});
}

StackId Matcher::unite(StackId a, StackId b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (const auto known = unions_.find({a, b}); known != unions_.end()) return known->second;
  Stack both{.tops = {}, .bottom = stacks_[a].bottom || stacks_[b].bottom};
  const auto tops_a = stacks_[a].tops, tops_b = stacks_[b].tops;
  std::size_t i = 0, k = 0;
  while (i < tops_a.size() || k < tops_b.size()) {
    if (k == tops_b.size() || (i < tops_a.size() && tops_a[i].first < tops_b[k].first)) {
      both.tops.push_back(tops_a[i++]);
    } else if (i == tops_a.size() || tops_b[k].first < tops_a[i].first) {
      both.tops.push_back(tops_b[k++]);
    } else {
      both.tops.emplace_back(tops_a[i].first, unite(tops_a[i].second, tops_b[k].second));
      ++i;
      ++k;
    }
  }
  const StackId out = intern(std::move(both));
  unions_.emplace(std::pair{a, b}, out);
  memory_ += 64;
  return out;
}

Matcher::Frame Matcher::opened(PartId part) const {
  const GrammarPart& begun = grammar_->parts[part];
  if (begun.kind != Kind::repeat) return {.part = part};
  return {.part = part, .min = begun.min, .max = begun.max};
}

/// Goes on with the top frames until each reading stands in an automaton.
Readings Matcher::expand(StackId stack) {
  Readings out;
  std::set<std::pair<Frame, StackId>> seen;
  std::vector<std::pair<Frame, StackId>> work;
  const auto resume = [&](StackId below) {
    out.may_end = out.may_end || stacks_[below].bottom;
    work.insert(work.end(), stacks_[below].tops.begin(), stacks_[below].tops.end());
  };
  resume(stack);
  while (!work.empty()) {
    const auto [frame, below] = work.back();
    work.pop_back();
    if (!seen.insert({frame, below}).second) continue;
    const GrammarPart& part = grammar_->parts[frame.part];
    switch (part.kind) {
      case Kind::bytes:
        out.list.push_back({part.start, {part.min, part.max}, below});
        if (grammar_->automaton.accepting(part.start)) resume(below);
        break;
      case Kind::sequence: {
        const std::size_t done = frame.min, count = part.parts.size();
        if (done == count) {
          resume(below);
        } else {
          const Frame rest{.part = frame.part, .min = frame.min + 1};
          work.emplace_back(opened(part.parts[done]), done + 1 == count ? below : push(rest, below));
        }
        break;
      }
      case Kind::choice:
        for (const PartId branch : part.parts) work.emplace_back(opened(branch), below);
        break;
      case Kind::repeat: {
        if (frame.min == 0) resume(below);
        if (frame.max == 0) break;
        const Frame rest{.part = frame.part,
                         .min = frame.min == 0 ? 0 : frame.min - 1,
                         .max = frame.max == kUnlimited ? kUnlimited : frame.max - 1};
        work.emplace_back(opened(part.parts[0]), push(rest, below));
        break;
      }
    }
  }
  merge(out);
  return out;
}

/// Readings in one place differ in their stacks alone: these become one set.
void Matcher::merge(Readings& readings) {
  std::vector<Reading>& list = readings.list;
  std::sort(list.begin(), list.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Reading& last = list[kept == 0 ? 0 : kept - 1];
    if (kept > 0 && last.at == list[i].at && last.characters == list[i].characters) {
      last.then = unite(last.then, list[i].then);
    } else {
      list[kept++] = list[i];
    }
  }
  list.resize(kept);
}

const Readings& Matcher::behind(StackId stack) {
  const auto known = behind_.find(stack);
  if (known != behind_.end()) return known->second;
  Readings out = expand(stack);
  memory_ += 64 + sizeof(Readings) + out.list.size() * sizeof(Reading);
  return behind_.emplace(stack, std::move(out)).first->second;
}

std::optional<StateId> Matcher::advance(StateId state, std::string_view bytes) {
  const ByteAutomaton& automaton = grammar_->automaton;
  Readings now = *states_[state], next;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    next.list.clear();
    next.may_end = false;
    for (const Reading& reading : now.list) {
      Reading moved = reading;
      moved.at = automaton.step(reading.at, byte);
      if (moved.at == kDeadState || !moved.characters.take(reading.at, byte)) continue;
      if (automaton.accepting(moved.at)) {
        const Readings& more = behind(moved.then);
        next.list.insert(next.list.end(), more.list.begin(), more.list.end());
        next.may_end = next.may_end || more.may_end;
      }
      if (!automaton.edges(moved.at).empty()) next.list.push_back(moved);
    }
    merge(next);
    std::swap(now, next);
    if (now.list.empty() && !now.may_end) return std::nullopt;
  }
  return intern(std::move(now));
}

StateId Matcher::intern(Readings readings) {
  const auto [known, is_new] =
      state_ids_.try_emplace(std::move(readings), static_cast<StateId>(states_.size()));
  if (is_new) {
    states_.push_back(&known->first);
    memory_ += 64 + sizeof(Readings) + known->first.list.size() * sizeof(Reading);
  }
  return known->second;
}

std::size_t Matcher::ReadingsHash::operator()(const Readings& readings) const {
  std::uint64_t hash = readings.may_end ? 1 : 0;
  for (const Reading& reading : readings.list) {
    hash = mix_hash(hash, static_cast<std::uint64_t>(reading.at) << 32 | reading.then);
    hash = mix_hash(hash, static_cast<std::uint64_t>(reading.characters.min) << 32 | reading.characters.max);
  }
  return hash;
}

}  // namespace pitwall
