// SPDX-License-Identifier: GPL-3.0-or-later
// Alternatives: the deployments that are compared, one of which is the subject of the form. What is asked of
// them (the demand) is the same for all; how they are set up is each one's own.
#pragma once
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "engine/plan/deployment_plan.h"

namespace pitwall::ui {

struct Alternative {
  qint64 key = 0;
  Deployment deployment;
  bool pinned = false;
  QString title;                               ///< what tells it from the others: "2 × L40S · int8"
  std::shared_ptr<const DeploymentPlan> plan;  ///< last good answer; null before the first
  std::optional<Error> error;                  ///< of the newest question; `plan` is an older one's then
  bool asked = false;                          ///< changed since it was last answered
  std::optional<std::vector<Fix>> fixes;       ///< of `plan`; none until they were looked for
  std::vector<Fix> fix_pair;                   ///< with `fixes`: two that are enough together
};

/// Plain values, UI thread only. Pinned ones stay as they are: the first change to one makes a draft beside
/// it, and there is one draft at most.
class Alternatives {
 public:
  static constexpr std::size_t kMostPinned = 8;

  const std::vector<Alternative>& all() const { return all_; }
  std::vector<Alternative>& all() { return all_; }
  bool empty() const { return all_.empty(); }
  const Alternative* subject() const;  ///< null while empty
  Alternative* find(qint64 key);
  std::size_t pinned() const;

  void start(const Deployment& deployment);  ///< it alone, not pinned; pinned ones stay, with its demand
  void edit(const Deployment& deployment);   ///< of the subject
  bool pin();                                ///< the subject; false when eight are
  void unpin();                              ///< the subject becomes the draft, in place of the one there is
  void select(qint64 key);
  void move(int by);  ///< the subject, along the list

 private:
  Alternative& add(const Deployment& deployment);
  void drop_draft();
  void name_all();
  std::vector<Alternative> all_;
  qint64 subject_ = 0, last_key_ = 0;
};

/// Requests, lengths, limits: what is asked rather than how it is set up.
void copy_demand(const Deployment& from, Deployment& to);
QString engine_text(
    const std::string& engine);  ///< whose rules, of find_engine_choice: "vLLM", "by the model"
/// One title each: GPUs first, then whatever tells apart those that have the same.
std::vector<QString> alternative_titles(const std::vector<Deployment>& deployments);

}  // namespace pitwall::ui
