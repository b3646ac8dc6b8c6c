// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/model_facts.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QVBoxLayout>

#include "engine/library/models_folder.h"
#include "engine/model/model.h"
#include "ui/shell/model_path.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

constexpr int kHalfBytes = 2;

QString heads_text(const AttentionSpec& attention) {
  return tr("%1, %2 for KV, %3 wide").arg(attention.heads).arg(attention.kv_heads).arg(attention.head_dim);
}

}  // namespace

Result<std::vector<Fact>> read_model_facts(const QString& path) {
  auto opened = Model::open(path.toStdString());
  if (!opened) return opened.error();
  const Model& model = **opened;
  const ModelSpec& spec = model.spec();
  std::vector<Fact> facts{
      {tr("Architecture"), qs(spec.architecture)},
      {tr("Parameters"), parameters_text(model.parameters())},
      {tr("Quantisation"), qs(model.quantization())},
      {tr("Weights"), bytes_text(model.weight_bytes())},
      {tr("Layers"), count_text(static_cast<qint64>(spec.layers.size()))},
  };
  if (!spec.layers.empty()) facts.emplace_back(tr("Heads"), heads_text(spec.layers.front().attention));
  facts.emplace_back(tr("Hidden size"), count_text(spec.hidden));
  facts.emplace_back(tr("Vocabulary"), tr("%1 tokens").arg(count_text(spec.vocabulary)));
  facts.emplace_back(tr("Context"), tr("%1 tokens").arg(count_text(spec.context_length)));
  facts.emplace_back(tr("KV per token"),
                     tr("%1 at 16 bit").arg(bytes_text(spec.kv_bytes_per_token(kHalfBytes))));
  facts.emplace_back(tr("Format"), qs(model.format()));
  if (const QFileInfo file(path); file.isFile()) facts.emplace_back(tr("File size"), bytes_text(file.size()));
  return facts;
}

ModelCard::ModelCard(QWidget* parent) : Card(tr("Model"), {}, {}, parent) {
  setObjectName(QStringLiteral("serve.modelCard"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  grid_ = new QGridLayout;
  grid_->setVerticalSpacing(Theme::current().units(0.75));
  grid_->setColumnStretch(1, 1);
  message_ = new Label({}, FontRole::small, Colour::muted, this);
  message_->setWordWrap(true);
  body()->addWidget(message_);
  body()->addLayout(grid_);
  show_hint();
}

void ModelCard::show_hint() {
  set_rows({}, {});
  message_->set_colour(Colour::muted);
  message_->setText(tr("Choose a model to see what its header says."));
  message_->show();
}

void ModelCard::show_reading(const QString& path) {
  set_rows(path, {});
  message_->set_colour(Colour::muted);
  message_->setText(tr("Reading the header…"));
  message_->show();
}

void ModelCard::show_facts(const QString& path, const std::vector<Fact>& facts) {
  message_->hide();
  set_rows(path, facts);
}

void ModelCard::show_error(const QString& path, const QString& text) {
  set_rows(path, {});
  message_->set_colour(Colour::bad);
  message_->setText(text);
  message_->show();
}

void ModelCard::set_rows(const QString& path, const std::vector<Fact>& rows) {
  set_unit(one_line(QFileInfo(path).fileName()));
  setToolTip(path);
  while (QLayoutItem* item = grid_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  QStringList words;
  int row = 0;
  for (const auto& [name, value] : rows) {
    auto* figure = new Label(value, FontRole::small, Colour::text, this);
    figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid_->addWidget(new Label(name, FontRole::small, Colour::muted, this), row, 0);
    grid_->addWidget(figure, row++, 1, Qt::AlignRight);
    words << tr("%1: %2").arg(name, value);
  }
  setAccessibleDescription(listed(words));
}

}  // namespace pitwall::ui
