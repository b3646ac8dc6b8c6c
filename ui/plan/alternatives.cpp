// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/alternatives.h"

#include <QFileInfo>
#include <QStringList>
#include <algorithm>
#include <map>
#include <set>

#include "engine/plan/engine_profile.h"
#include "engine/plan/gpu_profile.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

/// In the order in which they are worth naming.
QStringList aspects_of(const Deployment& d) {
  const QString model = qs(d.model);
  const QString file = QFileInfo(model).completeBaseName();
  return {
      file.isEmpty() ? model : file,
      qs(d.quantization),
      d.kv_cache_dtype == "auto" ? tr("KV as the model") : tr("KV %1").arg(qs(d.kv_cache_dtype)),
      d.max_model_len ? tr("max %1").arg(count_text(*d.max_model_len)) : tr("max as the model"),
      tr("TP %1").arg(d.tensor_parallel),
      tr("PP %1").arg(d.pipeline_parallel),
      tr("%1 seqs").arg(count_text(d.max_num_seqs)),
      tr("%1 a step").arg(count_text(d.max_num_batched_tokens)),
      tr("blocks of %1").arg(d.block_size),
      d.graphs ? tr("graphs") : tr("no graphs"),
      d.prefix_caching ? tr("prefix cache") : tr("no prefix cache"),
      tr("rules %1").arg(engine_text(d.engine)),
  };
}

}  // namespace

QString engine_text(const std::string& engine) {
  if (engine == "auto") return tr("by the model");
  if (engine == kOwnEngine) return tr("this engine");
  if (engine == "needed") return tr("as layers need");
  if (engine == "full") return tr("full length");
  const auto found = find_engine(engine);
  return qs(found ? (*found)->title : engine);
}

void copy_demand(const Deployment& from, Deployment& to) {
  to.requests = from.requests;
  to.lengths = from.lengths;
  to.prompt_tokens = from.prompt_tokens;
  to.output_tokens = from.output_tokens;
  to.shared_prefix = from.shared_prefix;
  to.ttft_limit_ms = from.ttft_limit_ms;
  to.tpot_limit_ms = from.tpot_limit_ms;
}

std::vector<QString> alternative_titles(const std::vector<Deployment>& deployments) {
  std::vector<QString> titles;
  std::map<QString, std::vector<std::size_t>> same;
  for (std::size_t i = 0; i < deployments.size(); ++i) {
    titles.push_back(QStringLiteral("%1 × %2").arg(deployments[i].gpus).arg(qs(deployments[i].gpu)));
    same[titles.back()].push_back(i);
  }
  for (const auto& [title, members] : same) {
    if (members.size() < 2) continue;
    std::vector<QStringList> aspects;
    for (const std::size_t member : members) aspects.push_back(aspects_of(deployments[member]));
    for (qsizetype aspect = 0; aspect < aspects.front().size(); ++aspect) {
      std::set<QString> words;
      for (const QStringList& one : aspects) words.insert(one[aspect]);
      if (words.size() < 2) continue;
      for (std::size_t i = 0; i < members.size(); ++i)
        if (!aspects[i][aspect].isEmpty()) titles[members[i]] += QStringLiteral(" · ") + aspects[i][aspect];
    }
  }
  return titles;
}

const Alternative* Alternatives::subject() const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [this](const Alternative& one) { return one.key == subject_; });
  return found == all_.end() ? nullptr : &*found;
}

Alternative* Alternatives::find(qint64 key) {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [key](const Alternative& one) { return one.key == key; });
  return found == all_.end() ? nullptr : &*found;
}

std::size_t Alternatives::pinned() const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [](const Alternative& one) { return one.pinned; }));
}

Alternative& Alternatives::add(const Deployment& deployment) {
  Alternative made;
  made.key = ++last_key_;
  made.deployment = deployment;
  made.asked = true;
  subject_ = made.key;
  all_.push_back(std::move(made));
  return all_.back();
}

void Alternatives::drop_draft() {
  std::erase_if(all_, [](const Alternative& one) { return !one.pinned; });
}

void Alternatives::start(const Deployment& deployment) {
  drop_draft();
  add(deployment);
  edit(deployment);
}

void Alternatives::edit(const Deployment& deployment) {
  Alternative* subject = find(subject_);
  if (subject == nullptr) return;
  Deployment as_asked = subject->deployment;
  copy_demand(deployment, as_asked);
  const bool set_up_differs = deployment_json(as_asked) != deployment_json(deployment);
  if (subject->pinned && set_up_differs) {
    const auto before = subject->plan;
    drop_draft();
    subject = &add(deployment);
    subject->plan = before;  // until its own answer is there
  }
  subject->deployment = deployment;
  subject->asked = true;
  for (Alternative& other : all_) {
    if (other.key == subject_) continue;
    const std::string asked = deployment_json(other.deployment);
    copy_demand(deployment, other.deployment);
    other.asked = other.asked || deployment_json(other.deployment) != asked;
  }
  name_all();
}

bool Alternatives::pin() {
  Alternative* subject = find(subject_);
  if (subject == nullptr || subject->pinned || pinned() >= kMostPinned) return false;
  subject->pinned = true;
  return true;
}

void Alternatives::unpin() {
  Alternative* subject = find(subject_);
  if (subject == nullptr || !subject->pinned) return;
  drop_draft();
  find(subject_)->pinned = false;
  name_all();
}

void Alternatives::select(qint64 key) {
  if (find(key) != nullptr) subject_ = key;
}

void Alternatives::move(int by) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].key == subject_) {
      const auto last = static_cast<std::ptrdiff_t>(all_.size()) - 1;
      subject_ = all_[static_cast<std::size_t>(
                          std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(i) + by, 0, last))]
                     .key;
      return;
    }
}

void Alternatives::name_all() {
  std::vector<Deployment> deployments;
  for (const Alternative& one : all_) deployments.push_back(one.deployment);
  const std::vector<QString> titles = alternative_titles(deployments);
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i].title = titles[i];
}

}  // namespace pitwall::ui
