// SPDX-License-Identifier: GPL-3.0-or-later
// Card: a panel with one header line (title · unit · question · legend · tools) over its body. And the Label
// that follows the theme.
#pragma once
#include <QFrame>
#include <QIcon>
#include <QLabel>
#include <vector>

#include "ui/shell/theme.h"

class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace pitwall::ui {

/// Text in one of the theme's sizes and colours; follows theme changes.
class Label : public QLabel {
  Q_OBJECT

 public:
  explicit Label(const QString& text, FontRole role = FontRole::body, Colour colour = Colour::text,
                 QWidget* parent = nullptr);
  void set_colour(Colour colour);
  void set_role(FontRole role);

 private:
  void restyle();
  FontRole role_;
  Colour colour_;
};

/// A Label that gives way: cut with … where there is no room, whole in its tooltip.
class ElidedLabel : public Label {
  Q_OBJECT

 public:
  using Label::Label;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
};

/// The rounded state mark of a top bar or verdict: "✓ keep", "● Serving".
class Tag : public QLabel {
  Q_OBJECT

 public:
  enum class Kind { neutral, accent, good, warn, bad };
  explicit Tag(QWidget* parent = nullptr);
  void set(Kind kind, const QString& text);
  QSize sizeHint() const override;

  struct Look {
    Colour ink, fill;
  };
  static Look look_of(Kind kind);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Kind kind_ = Kind::neutral;
};

/// How a line or a fill looks, for legends and charts.
enum class Stroke : std::uint8_t {
  solid,
  dash,
  dots,
  long_dash,
  dash_dot,
  marks
};  ///< marks: a short tick a sample
struct LegendEntry {
  QString name;
  Colour colour = Colour::text;
  Stroke stroke = Stroke::solid;
  double width = 2.2;
  enum class Sample : std::uint8_t { line, fill, frame } sample = Sample::line;  ///< of bars: fill or frame
};

class Card : public QFrame {
  Q_OBJECT

 public:
  explicit Card(const QString& title = {}, const QString& unit = {}, const QString& question = {},
                QWidget* parent = nullptr);

  void set_title(const QString& title);
  void set_unit(const QString& unit);  ///< the muted words after the title
  void set_question(const QString& question);
  void set_legend(const std::vector<LegendEntry>& entries);
  void set_legend_widget(
      QWidget* legend);  ///< painted by its owner's own hand; its sizeHint is what it needs
  void add_header_widget(QWidget* widget);  ///< at the right end, before the tools
  QToolButton* add_tool(const QString& icon,
                        const QString& name);  ///< icon button; name = tooltip and accessible name
  QVBoxLayout* body() const { return body_; }  ///< without margins of its own
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int one_line_width() const;
  void place_legend();
  ElidedLabel *title_, *question_;
  Label* unit_;
  QHBoxLayout *header_, *beside_, *below_, *tools_;  // beside and below: where the legend may stand
  QWidget* legend_;
  QVBoxLayout* body_;
};

}  // namespace pitwall::ui
