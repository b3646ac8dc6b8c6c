// SPDX-License-Identifier: GPL-3.0-or-later
// NumberField: a line edit for one number: thousands as the locale writes them, ↑ and ↓ step, and what is no
// number stays in the field, marked, with the reason.
#pragma once
#include <QLineEdit>
#include <optional>

namespace pitwall::ui {

class NumberField : public QLineEdit {
  Q_OBJECT

 public:
  struct Spec {
    QString id, name;  ///< object name; accessible name
    QString unit;      ///< "tokens": in the reason and the description
    QString effect;    ///< what it does, for the description and the tooltip
    double minimum = 0, maximum = 1e12;
    int decimals = 0;
    QString none = {};  ///< what an empty field means: its placeholder; empty = a number is needed
  };
  explicit NumberField(const Spec& spec, QWidget* parent = nullptr);

  double value() const { return value_; }   ///< the last one that was a number in range
  void set_value(double value);             ///< quiet; clears the mark
  bool is_wrong() const { return wrong_; }  ///< what stands in it is no number in range; value() is older
  const QString& trouble() const { return trouble_; }
  /// Marks the field: its number makes no sense to whoever takes it. Empty takes that mark away.
  void set_trouble(const QString& reason);
  void read();  ///< what stands in the field now, as if it were left

 Q_SIGNALS:
  void changed(double value);  ///< by the user: a number in range
  void refused();              ///< by the user: trouble() says why

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_value();
  void step(double by);
  void mark(const QString& reason);
  Spec spec_;
  double value_ = 0;
  QString trouble_;
  bool wrong_ = false;
};

/// "8,192", "8192" or "" where the locale groups digits; nullopt when it is no number.
std::optional<double> parse_number(const QString& text);

}  // namespace pitwall::ui
