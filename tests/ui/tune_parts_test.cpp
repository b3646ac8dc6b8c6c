// SPDX-License-Identifier: GPL-3.0-or-later
// What the tune page is made of, by itself: the scatter's axes, the form of a new checklist, effects in
// words.
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QTest>
#include <cmath>

#include "ui/tune/checklist_dialog.h"
#include "ui/tune/scatter_view.h"
#include "ui/tune/tune_words.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class TunePartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void points_that_hardly_differ_stay_together() {
    ScatterView view;
    const auto exact = [](double value) { return Interval{value, value, value}; };
    view.set_data({{{u8("0"), u8("before"), exact(7.8), exact(2019.056), -1},
                    {u8("1"), u8("after"), exact(7.1), exact(2019.021), 0}},
                   {0, 1},
                   {0, 1},
                   {},
                   {},
                   u8("TPOT p99, ms"),
                   0});
    QVERIFY(view.y_limits().high - view.y_limits().low > 0.05 * 2019);  // not a thousandth of a per cent
    QVERIFY(view.y_limits().low < 2019 && view.y_limits().high > 2019.1);
    QVERIFY(view.x_limits().high - view.x_limits().low < 2);
  }

  void the_fields_of_a_new_checklist_end_at_one_line() {
    ChecklistDialog dialog("four-steps", {});
    dialog.show();
    QSet<int> ends;
    for (const char* id :
         {"template", "name", "target", "open", "gpu", "gpus", "workload", "requests", "repeats"}) {
      const auto* field = dialog.findChild<QWidget*>(u8((std::string("tune.new.") + id).c_str()));
      ends << field->mapTo(&dialog, field->rect().topRight()).x();
    }
    QCOMPARE(ends.size(), 1);
    // A model that the simulator knows is found by a part of its name.
    auto* model = dialog.findChild<QLineEdit*>(u8("tune.new.model"));
    model->completer()->setCompletionPrefix(u8("72B"));
    QVERIFY(model->completer()->completionCount() > 0);
    dialog.findChild<QComboBox*>(u8("tune.new.target"))->setCurrentIndex(1);  // an engine needs weights
    QCOMPARE(model->completer()->completionCount(), 0);
    QVERIFY(dialog.findChild<QPushButton*>(u8("tune.new.open"))->isEnabled());
  }

  void an_unknown_model_is_refused_in_the_dialog_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("target");
    QTest::addColumn<QString>("said");
    QTest::newRow("nonsense") << "nonsense <b>model</b>" << 0 << "Type a part of a known name";
    QTest::newRow("near") << "qwen72" << 0 << "take a near name: ";
    QTest::newRow("none") << " " << 0 << "No model is named";
    QTest::newRow("no weights") << "nonsense" << 1 << "There is no model";
  }

  void an_unknown_model_is_refused_in_the_dialog() {
    QFETCH(QString, model);
    QFETCH(int, target);
    QFETCH(QString, said);
    ChecklistDialog dialog("four-steps", {});
    dialog.show();
    dialog.findChild<QComboBox*>(u8("tune.new.target"))->setCurrentIndex(target);
    dialog.findChild<QLineEdit*>(u8("tune.new.model"))->setText(model);
    auto* create = dialog.findChild<QPushButton*>(u8("tune.new.create"));
    create->click();
    QVERIFY(dialog.isVisible());
    const QLabel* trouble = nullptr;
    for (const QLabel* label : dialog.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(said)) trouble = label;
    QVERIFY(trouble != nullptr);
    QVERIFY2(trouble->text().size() < 250, qPrintable(trouble->text()));  // no list of all that are known
    QTRY_VERIFY(trouble->height() >= trouble->heightForWidth(trouble->width()));
    auto* field = dialog.findChild<QLineEdit*>(u8("tune.new.model"));
    QVERIFY(field->property("wrong").toBool());  // at the field, which has the focus
    QCOMPARE(dialog.focusWidget(), field);
    dialog.findChild<QComboBox*>(u8("tune.new.target"))->setCurrentIndex(0);
    dialog.findChild<QLineEdit*>(u8("tune.new.model"))->setText(u8("llama-3.1-8b"));
    create->click();
    QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
  }

  void effects_in_words() {
    Effect effect{100, 131, {31, 25, 37}, 31, 6, Reading::better};
    QCOMPARE(effect_text(effect), u8("+31 % ± 6"));
    QCOMPARE(effect_colour(effect), Colour::good);
    effect = {100, 101, {1, -1, 3}, 1, 2, Reading::no_change};
    QCOMPARE(effect_text(effect), u8("+1 % ± 2: no change"));
    QCOMPARE(effect_colour(effect), Colour::muted);  // never green
    effect = {100, 43, {-57, -60, -54}, -57, 3, Reading::worse};
    QCOMPARE(effect_text(effect), u8("−57 % ± 3"));
    effect = {0, 78.8, {78.8, 78, 79.6}, std::nan(""), std::nan(""), Reading::better};
    QCOMPARE(effect_text(effect), u8("+78.8 ± 0.800"));
    effect = {10, 10, {0, 0, 0}, 0, 0, Reading::no_change};
    QCOMPARE(effect_text(effect), u8("no change"));
    QCOMPARE(effect_text(Effect{}), u8("–"));
  }
};

QTEST_MAIN(TunePartsTest)
#include "tune_parts_test.moc"
