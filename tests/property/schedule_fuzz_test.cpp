// SPDX-License-Identifier: GPL-3.0-or-later
// Random arrivals, lengths, cancels, priorities, tenants, salts and shared prefixes over two tokens, tiny
// pools with and without swap space, penalties, guides and logprobs, failed and discarded plans, and limits
// that change while requests run, under the strict checker. Every text is whole and in order, nobody starves,
// every block comes back.
#include <QTest>
#include <limits>
#include <random>

#include "tests/support/rule_guide.h"
#include "tests/support/schedule_rig.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

class Storm {
 public:
  explicit Storm(std::uint64_t seed)
      : random_(seed),
        block_size_(1 << pick(1, 4)),
        blocks_(pick(4, 40)),
        seqs_(pick(1, 8)),
        model_len_(std::max(2, std::min(blocks_ * block_size_, pick(8, 240)))),
        most_output_(pick(1, 3) * 40),
        bounds_(first_config()),
        rig_(bounds_, {.cache = {.blocks = blocks_,
                                 .block_size = block_size_,
                                 .swap_blocks = pick(0, 2) * pick(1, 20),
                                 .prefix_caching = pick(0, 9) > 0,
                                 .hash_seed = seed,
                                 .hash = pick(0, 9) > 0 ? &chained_hash : &poor_hash},
                       .vocabulary = 2}) {
    rig_.step_time = kNanosPerMs;
    rig_.swap_time = pick(1, 1000) * 1000;
  }

  /// "" or what went wrong.
  std::string run(int arrivals) {
    int idle = 0;
    for (int turn = 0; rig_.problem().empty(); ++turn) {
      const bool arriving = next_ <= static_cast<std::uint64_t>(arrivals);
      if (!arriving && rig_.scheduler.idle()) break;
      if (arriving && pick(0, 3) == 0) arrive();
      if (pick(0, 60) == 0) cancel();
      if (pick(0, 200) == 0) reconfigure();
      if (pick(0, 9) == 0 && rig_.scheduler.in_flight() < 2) rig_.discard();
      if (rig_.scheduler.in_flight() < 2) rig_.launch();
      rig_.take_events();
      if (rig_.scheduler.in_flight() == 2 || (rig_.scheduler.in_flight() > 0 && pick(0, 1) == 0)) {
        commit();
        idle = 0;
      } else if (rig_.scheduler.in_flight() == 0) {
        if (++idle > 100 && !rig_.scheduler.idle() && !arriving) return "something waits and nothing runs";
        rig_.now += kNanosPerMs;
      }
      if (turn > 200'000) return "it never ends";
    }
    if (!rig_.problem().empty()) return rig_.problem();
    return verdict();
  }
  std::int64_t steps() const { return static_cast<std::int64_t>(rig_.plans.size()); }
  std::int64_t preemptions() const { return rig_.scheduler.preemptions(); }
  std::int64_t swaps() const {
    return std::count_if(rig_.preemptions.begin(), rig_.preemptions.end(),
                         [](const PreemptionEvent& event) { return event.swapped; });
  }
  KvCacheCounts counts() const { return rig_.cache.counts(); }

 private:
  static std::uint64_t poor_hash(std::uint64_t parent, std::span<const TokenId> tokens) {
    return (parent + static_cast<std::uint64_t>(tokens.front())) % 3 + 1;
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  SchedulerConfig first_config() {
    SchedulerConfig config;
    config.max_num_seqs = seqs_;
    config.max_num_batched_tokens = seqs_ + pick(0, 60);
    config.max_model_len = model_len_;
    config.rope_switch = chance(70) ? 0 : pick(1, model_len_);
    vary(config);
    return config;
  }
  void vary(SchedulerConfig& config) {
    config.policy = static_cast<SchedulingPolicy>(pick(0, 3));
    config.batching = chance(80) ? Batching::continuous : Batching::fixed;
    config.preemption = static_cast<Preemption>(pick(0, 2));
    config.long_prefill_token_threshold = chance(50) ? 0 : pick(1, 40);
    config.max_long_partial_prefills = pick(0, 2);
    config.long_token_share = chance(50) ? 1 : pick(1, 100) / 100.0;
    config.long_kv_share = chance(50) ? 1 : pick(1, 100) / 100.0;
    config.cached_share = chance(50) ? 0 : pick(0, 60) / 100.0;
    config.target_itl = chance(50) ? 0 : pick(1, 3) * kNanosPerMs;
    config.max_wait = pick(1, 400) * kNanosPerMs;
  }
  void reconfigure() {
    SchedulerConfig config = bounds_;
    vary(config);
    config.max_num_seqs = pick(1, bounds_.max_num_seqs);
    config.max_num_batched_tokens = pick(config.max_num_seqs, bounds_.max_num_batched_tokens);
    if (auto ok = rig_.scheduler.reconfigure(config); !ok) failure_ = ok.error().text();
  }

  void arrive() {
    Request request;
    request.id = RequestId{next_++};
    request.arrival = rig_.now;
    request.priority = pick(0, 3);
    request.tenant = std::string(1, static_cast<char>('a' + pick(0, 2)));
    if (chance(20)) request.cache_key.salt = std::string(1, static_cast<char>('a' + pick(0, 1)));
    if (chance(10)) request.cache_key.adapter = "lora";
    const int prompt = pick(1, chance(50) ? model_len_ : std::min(model_len_, 20));
    std::mt19937 family(static_cast<unsigned>(pick(0, 3)));  // of a few, so that prefixes are shared
    const int shared = pick(0, prompt);
    for (int i = 0; i < prompt; ++i)
      request.prompt.push_back(static_cast<TokenId>(i < shared ? family() % 2 : random_() % 2));
    request.sampling.max_tokens = pick(1, most_output_);
    if (chance(10)) request.sampling.prompt_logits = true;
    if (chance(20)) request.sampling.end_tokens = {pick(0, 1)};
    if (chance(30)) vary(request.sampling);
    static_cast<void>(rig_.add(std::move(request)));
  }
  void vary(SamplingParams& sampling) {
    if (chance(30)) sampling.repetition_penalty = static_cast<float>(pick(1, 8)) / 4;
    if (chance(30)) sampling.frequency_penalty = static_cast<float>(pick(-4, 4)) / 2;
    if (chance(30)) sampling.presence_penalty = static_cast<float>(pick(-4, 4)) / 2;
    if (chance(30)) sampling.logit_bias = {{pick(0, 1), static_cast<float>(pick(-5, 5))}};
    if (chance(30)) sampling.min_tokens = pick(0, sampling.max_tokens);
    if (chance(30)) sampling.logprobs = pick(0, 2);
    if (chance(30)) sampling.prompt_logprobs = pick(0, 2);
    if (chance(60)) return;
    // One or both of the two tokens may come; some guides leave none after a while.
    const auto salt = static_cast<std::uint64_t>(pick(0, 1000));
    const std::size_t last = chance(80) ? std::numeric_limits<std::size_t>::max() : salt % 50;
    sampling.guide = test::rule_guide(2, [salt, last](const std::vector<TokenId>& reply, TokenId token) {
      const std::uint64_t choice = (salt + reply.size()) * 0x9E3779B97F4A7C15ULL >> 62;
      return reply.size() < last && (choice > 1 || choice == static_cast<std::uint64_t>(token));
    });
  }
  void cancel() {
    if (next_ == 1) return;
    const RequestId id{static_cast<std::uint64_t>(pick(1, static_cast<int>(next_) - 1))};
    rig_.scheduler.finish(id, FinishReason::cancelled);
    rig_.take_events();
  }
  void commit() {
    if (pick(0, 150) > 0) return rig_.commit();
    rig_.commit(
        Error{.kind = Error::Kind::internal, .what = "Injected", .cause = {}, .action = {}, .param = {}});
  }

  std::string verdict() const {
    if (!failure_.empty()) return failure_;
    const KvCacheCounts counts = rig_.cache.counts();
    if (counts.used + counts.quarantined + counts.swap_used > 0) return "blocks are lost";
    for (const auto& [id, client] : rig_.clients) {
      const std::string name = "request " + std::to_string(id);
      if (!client.end) return name + " never ended";
      const Request& request = client.request;
      auto text = rig_.expected(
          id, std::min(request.sampling.max_tokens, model_len_ - static_cast<int>(request.prompt.size())));
      const auto& ends = request.sampling.end_tokens;
      if (!ends.empty()) {
        const auto end = std::find(text.begin(), text.end(), ends[0]);
        if (end != text.end()) text.erase(end + 1, text.end());
      }
      const bool whole =
          client.end->reason == FinishReason::stop || client.end->reason == FinishReason::length;
      if (client.tokens.size() > text.size() || (whole && client.tokens.size() != text.size()) ||
          !std::equal(client.tokens.begin(), client.tokens.end(), text.begin())) {
        return name + " has another text";
      }
      const auto prompt = static_cast<std::int32_t>(request.prompt.size());
      for (const AdmissionEvent& event : client.admissions) {
        if (event.cached_tokens + event.swapped_tokens > prompt + static_cast<int>(text.size()) - 1)
          return name + " found more than it may";
      }
      const int reported = request.sampling.prompt_logprobs ? prompt - 1 : 0;
      if (client.prompt_logprobs > reported || (whole && client.prompt_logprobs != reported))
        return name + " has logprobs of another part of its prompt";
      if (client.admissions.empty()) continue;
      const AdmissionEvent& first = client.admissions.front();
      if (first.resumed || first.cached_tokens > prompt - 1) return name + " found more than n - 1 tokens";
      if ((first.miss == MissReason::none) != (first.miss_token < 0))
        return name + " has a miss without a token";
      if (whole && client.preemptions == 0 && first.cached_tokens + client.computed != prompt)
        return name + ": cached + computed is not the prompt";
    }
    return {};
  }

  std::mt19937_64 random_;
  int block_size_, blocks_, seqs_, model_len_, most_output_;
  SchedulerConfig bounds_;
  test::ScheduleRig rig_;
  std::uint64_t next_ = 1;
  std::string failure_;
};

}  // namespace

class ScheduleFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  // Properties 1 – 6, 9 – 14, 16 – 25, 32 and 33.
  void random_storms() {
    std::uint64_t seed = std::random_device{}();
    if (qEnvironmentVariableIsSet("PITWALL_SEED")) seed = qEnvironmentVariable("PITWALL_SEED").toULongLong();
    std::int64_t steps = 0, preemptions = 0, swaps = 0, evicted = 0, copied = 0, merged = 0;
    int storms = 0;
    for (; steps < 100'000; ++seed, ++storms) {
      Storm storm(seed);
      const std::string fault = storm.run(150);
      if (!fault.empty()) QFAIL(("seed " + std::to_string(seed) + ": " + fault).c_str());
      steps += storm.steps();
      preemptions += storm.preemptions();
      swaps += storm.swaps();
      evicted += storm.counts().evicted;
      copied += storm.counts().copied;
      merged += storm.counts().merged;
    }
    qInfo(
        "%d storms, last seed %llu: %lld steps, %lld preemptions (%lld swaps), %lld evictions, %lld copies, "
        "%lld merges",
        storms, static_cast<unsigned long long>(seed - 1), static_cast<long long>(steps),
        static_cast<long long>(preemptions), static_cast<long long>(swaps), static_cast<long long>(evicted),
        static_cast<long long>(copied), static_cast<long long>(merged));
    QVERIFY(preemptions > 0 && swaps > 0 && evicted > 0 && copied > 0 && merged > 0);
  }
};

QTEST_APPLESS_MAIN(ScheduleFuzzTest)
#include "schedule_fuzz_test.moc"
