// SPDX-License-Identifier: GPL-3.0-or-later
// What of a deployment is seldom changed: weights' format, stages, blocks, graphs, a typical request,
// other processes. It folds; what is not as usual is named in its head, so that nothing is hidden.
#pragma once
#include <QWidget>
#include <functional>

#include "engine/plan/deployment.h"

class QCheckBox;
class QComboBox;
class QToolButton;

namespace pitwall::ui {

class FormGrid;
class Label;
class NumberField;

class MoreFields : public QWidget {
  Q_OBJECT

 public:
  using Change = std::function<void(Deployment&)>;
  /// `take`: called with what the user changed.
  explicit MoreFields(std::function<void(const Change&)> take, QWidget* parent = nullptr);

  void show_values(const Deployment& deployment);
  QWidget* mark(const QString& param, const QString& reason);  ///< unfolds; null where no field is meant
  void clear_marks();
  void set_open(bool open);

 private:
  void build_choices();
  void build_numbers();
  void build_others();
  void build_switches();
  QComboBox* add_choice(const char* id, const QString& name, const QString& effect,
                        const QStringList& params);
  NumberField* add_number(const char* id, const QString& name, const QString& unit, const QString& effect,
                          const QString& param, std::function<void(Deployment&, int)> set);
  void add_switch(const char* id, const QString& name, const QString& effect, bool Deployment::*which);
  void show_graphs(const Deployment& deployment);

  struct Switch {
    QCheckBox* box;
    bool Deployment::*which;
  };
  std::function<void(const Change&)> take_;
  QToolButton* head_;
  Label* unusual_;
  FormGrid* grid_;
  QComboBox *weights_, *graphs_;
  NumberField *stages_, *block_, *prompt_, *reply_, *others_;
  std::vector<Switch> switches_;
};

/// "AWQ weights, 2 stages": what differs from a deployment that says nothing of them; empty = nothing.
QString unusual_text(const Deployment& deployment);

}  // namespace pitwall::ui
