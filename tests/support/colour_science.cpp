// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/colour_science.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pitwall::test {

namespace {

using Rgb = std::array<double, 3>;
using Matrix = std::array<Rgb, 3>;

constexpr double kDegree = std::numbers::pi / 180;

constexpr Matrix kDeuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kProtanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kXyz{{{0.4124564, 0.3575761, 0.1804375},
                       {0.2126729, 0.7151522, 0.0721750},
                       {0.0193339, 0.1191920, 0.9503041}}};
constexpr Rgb kWhite{0.95047, 1.0, 1.08883};

Rgb times(const Matrix& matrix, const Rgb& in) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += matrix[i][j] * in[j];
  return out;
}

Rgb linear(std::uint32_t rgb) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = static_cast<double>(rgb >> (16 - 8 * i) & 0xFF) / 255;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

double luminance(std::uint32_t rgb) {
  const Rgb c = linear(rgb);
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

double hue(double a, double b) {
  if (a == 0 && b == 0) return 0;
  const double h = std::atan2(b, a) / kDegree;
  return h < 0 ? h + 360 : h;
}

double mean_hue(double h1, double h2, double chroma_product) {
  if (chroma_product == 0) return h1 + h2;
  if (std::abs(h1 - h2) <= 180) return (h1 + h2) / 2;
  return h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2;
}

double hue_difference(double h1, double h2, double chroma_product) {
  if (chroma_product == 0) return 0;
  const double d = h2 - h1;
  return d > 180 ? d - 360 : d < -180 ? d + 360 : d;
}

}  // namespace

double wcag_contrast(std::uint32_t a, std::uint32_t b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Lab lab_of(std::uint32_t rgb, Vision vision) {
  Rgb c = linear(rgb);
  if (vision == Vision::deuteranopia) c = times(kDeuteranopia, c);
  if (vision == Vision::protanopia) c = times(kProtanopia, c);
  for (double& channel : c) channel = std::clamp(channel, 0.0, 1.0);
  const Rgb xyz = times(kXyz, c);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / kWhite[0]), y = f(xyz[1] / kWhite[1]), z = f(xyz[2] / kWhite[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double ciede2000(const Lab& p, const Lab& q) {
  const double pow7_25 = std::pow(25.0, 7);
  const double mean_c7 = std::pow((std::hypot(p.a, p.b) + std::hypot(q.a, q.b)) / 2, 7);
  const double g = 0.5 * (1 - std::sqrt(mean_c7 / (mean_c7 + pow7_25)));
  const double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a;
  const double c1 = std::hypot(a1, p.b), c2 = std::hypot(a2, q.b);
  const double h1 = hue(a1, p.b), h2 = hue(a2, q.b);
  const double dl = q.l - p.l, dc = c2 - c1;
  const double dh = 2 * std::sqrt(c1 * c2) * std::sin(hue_difference(h1, h2, c1 * c2) / 2 * kDegree);
  const double l = (p.l + q.l) / 2, c = (c1 + c2) / 2, h = mean_hue(h1, h2, c1 * c2);
  const double t = 1 - 0.17 * std::cos((h - 30) * kDegree) + 0.24 * std::cos(2 * h * kDegree) +
                   0.32 * std::cos((3 * h + 6) * kDegree) - 0.20 * std::cos((4 * h - 63) * kDegree);
  const double l50 = (l - 50) * (l - 50);
  const double sl = 1 + 0.015 * l50 / std::sqrt(20 + l50), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
  const double c7 = std::pow(c, 7);
  const double turn = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double rt = -2 * std::sqrt(c7 / (c7 + pow7_25)) * std::sin(2 * turn * kDegree);
  return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dh / sh, 2) +
                   rt * (dc / sc) * (dh / sh));
}

}  // namespace pitwall::test
