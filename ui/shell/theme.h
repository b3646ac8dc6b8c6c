// SPDX-License-Identifier: GPL-3.0-or-later
// The look of the window: colour tokens (here and nowhere else), the unit, the fonts. Light, dark, or as the
// system.
#pragma once
#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <array>
#include <cstdint>

namespace pitwall::ui {

enum class Colour : std::uint8_t {
  // surfaces and text
  window,
  panel,
  alt,
  border,
  grid,
  strong,
  text,
  muted,
  accent,
  on_accent,
  selection,
  good,
  good_fill,
  warn,
  warn_fill,
  bad,
  bad_fill,
  // memory, in the ledger's order
  weights,
  kv_used,
  kv_cached,
  kv_quarantined,
  kv_free,
  activations,
  workspace,
  graphs,
  communicator,
  context,
  other_processes,
  unaccounted,
  pale_frame,  ///< edge of pale fills
  // latency: one hue a measure; percentiles differ by dash and width
  ttft,
  tpot,
  itl,
  queue
};
inline constexpr int kColourCount = 34;

struct ColourToken {
  const char* name;
  std::uint32_t light, dark;
};  ///< 0xRRGGBB
inline constexpr std::array<ColourToken, kColourCount> kColours{{
    {"window", 0xEEF1F4, 0x14181D},
    {"panel", 0xFFFFFF, 0x1B2027},
    {"alt", 0xF6F8FA, 0x20262E},
    {"border", 0xD3D9E0, 0x343C46},
    {"grid", 0xE6EAEE, 0x2A313A},
    {"strong", 0x8490A0, 0x6E7A88},
    {"text", 0x1A212A, 0xE6EAEF},
    {"muted", 0x55606D, 0xA0ABB8},
    {"accent", 0x1D5FD0, 0x7DB0FF},
    {"on_accent", 0xFFFFFF, 0x0D1B30},
    {"selection", 0xE3EDFC, 0x22344F},
    {"good", 0x1A7340, 0x5CC98A},
    {"good_fill", 0xE6F4EB, 0x17301F},
    {"warn", 0x8A5A00, 0xE5B04A},
    {"warn_fill", 0xFBF1DC, 0x352A12},
    {"bad", 0xBE2626, 0xFF8A80},
    {"bad_fill", 0xFCEAEA, 0x3A1F1F},
    {"weights", 0x444653, 0x7D8E97},
    {"kv_used", 0x227D9A, 0x06BFEE},
    {"kv_cached", 0x75AFB6, 0x28738C},
    {"kv_quarantined", 0xF09A2C, 0xE89F27},
    {"kv_free", 0xECF2F2, 0x2F3636},
    {"activations", 0x7678FA, 0x6578F4},
    {"workspace", 0xF2C2FE, 0x004EA2},
    {"graphs", 0x873539, 0xFBD2DE},
    {"communicator", 0xD04A1F, 0xC93719},
    {"context", 0x96BA89, 0x8EB789},
    {"other_processes", 0x818181, 0x686868},
    {"unaccounted", 0xF3EF9E, 0xF4ECA5},
    {"pale_frame", 0x66717E, 0x7F8B99},
    {"ttft", 0x7A3FB0, 0xB78CF2},
    {"tpot", 0x8C2F12, 0xF08060},
    {"itl", 0x00707A, 0x3FC6C0},
    {"queue", 0xA87B00, 0xF1DE8A},
}};

/// Sizes relative to the system's UI font.
enum class FontRole : std::uint8_t { caption, small, body, section, title, figure, code };

enum class ThemeMode : std::uint8_t { automatic, light, dark };

/// One for the program, UI thread only; needs a QApplication.
class Theme : public QObject {
  Q_OBJECT

 public:
  static Theme& current();

  void set_mode(ThemeMode mode);  ///< style, palette and fonts of the application; emits changed()
  ThemeMode mode() const { return mode_; }
  /// 100 … 150 % of the system's text size. Before any widget is made: distances follow the text.
  void set_text_percent(int percent);
  bool dark() const { return dark_; }

  QColor colour(Colour token) const;
  static QColor colour(Colour token, bool dark);

  double u() const { return unit_; }  ///< the unit of every distance, about 4 at 1×
  int units(double n) const;          ///< n units in whole device-independent pixels
  QFont font(FontRole role) const;    ///< digits are tabular

 Q_SIGNALS:
  void changed();  ///< colours or fonts; widgets that paint themselves call update()

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Theme();
  void apply();
  void choose_font(int percent);
  QPalette palette() const;

  ThemeMode mode_ = ThemeMode::automatic;
  bool dark_ = false, applying_ = false;
  double unit_ = 4;
  QFont body_;
};

/// Of the current theme: what pages and widgets lay out and paint with.
int units(double n);
QColor ink(Colour token);

}  // namespace pitwall::ui
