// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of reports: the window's light theme, on screen and on paper.
#pragma once
#include <string_view>

namespace pitwall {

inline constexpr std::string_view kReportStyle = R"css(
:root { --panel: #FFFFFF; --alt: #F6F8FA; --border: #D3D9E0; --grid: #E6EAEE; --text: #1A212A; --muted: #55606D;
  --good: #1A7340; --good-fill: #E6F4EB; --warn: #8A5A00; --warn-fill: #FBF1DC; --bad: #BE2626; --bad-fill: #FCEAEA; }
* { box-sizing: border-box; }
body { margin: 0; background: #EEF1F4; color: var(--text);
  font: 0.84rem/1.45 "Noto Sans", "DejaVu Sans", system-ui, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 82rem; margin: 0 auto; padding: 1.2rem; display: grid; gap: 0.75rem; }
section, header { background: var(--panel); border: 1px solid var(--border); border-radius: 0.25rem; padding: 0.8rem 1rem; }
header h1 { font-size: 1.35rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 0.98rem; margin: 0 0 0.5rem; }
h2 small { font-weight: 400; font-size: 0.84rem; color: var(--muted); margin-left: 0.4rem; }
p { margin: 0.35rem 0 0; }
.verdict { font-size: 1rem; max-width: 70rem; }
.note, .subtitle { color: var(--muted); }
.tag { font-size: 0.75rem; font-weight: 600; padding: 0.1rem 0.45rem; border-radius: 0.25rem; border: 1px solid;
  vertical-align: 0.2em; margin-left: 0.5rem; white-space: nowrap; }
.tag.good { color: var(--good); background: var(--good-fill); }
.tag.warn { color: var(--warn); background: var(--warn-fill); }
.tag.bad { color: var(--bad); background: var(--bad-fill); }
.trouble { padding: 0.35rem 0.6rem; background: var(--warn-fill); color: var(--warn); border-radius: 0.25rem; overflow-wrap: anywhere; }
.trouble.bad { background: var(--bad-fill); color: var(--bad); }
dl.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.2rem, 1fr)); gap: 0; margin: 0; padding: 0;
  background: var(--panel); border: 1px solid var(--border); border-radius: 0.25rem; overflow: hidden; }
dl.figures div { padding: 0.6rem 0.9rem 0.7rem; box-shadow: 1px 1px 0 0 var(--border); }
dl.figures dt, dl.figures dd.detail { color: var(--muted); font-size: 0.78rem; }
dl.figures dd { margin: 0; white-space: nowrap; }
dl.figures dd.value { font-size: 1.35rem; font-weight: 600; line-height: 1.35; }
dl.figures dd.value small { font-size: 0.8rem; font-weight: 400; color: var(--muted); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(30rem, 1fr)); gap: 0.75rem; }
figure { margin: 0; background: var(--panel); border: 1px solid var(--border); border-radius: 0.25rem; padding: 0.35rem; }
svg { display: block; width: 100%; height: auto; }
.columns { columns: 26rem 2; column-gap: 0.75rem; }
.columns section { break-inside: avoid; margin-bottom: 0.75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--muted); border-bottom: 1px solid var(--border); vertical-align: bottom; }
th, td { padding: 0.2rem 0.55rem 0.2rem 0; }
td { border-bottom: 1px solid var(--grid); vertical-align: top; overflow-wrap: anywhere; }
td:last-child, th:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; overflow-wrap: normal; }
tr > .number:first-child { padding-left: 0; }
.strong { font-weight: 600; } .muted { color: var(--muted); }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.dense table { font-size: 0.78rem; } .dense td { padding-top: 0.1rem; padding-bottom: 0.1rem; }
.pairs { columns: 22rem 3; column-gap: 1.5rem; font-size: 0.78rem; }
.pairs div { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 1px solid var(--grid); padding: 0.1rem 0; break-inside: avoid; }
.pairs span:last-child { text-align: right; overflow-wrap: anywhere; }
code { display: block; font: 0.8rem/1.5 "Noto Sans Mono", "DejaVu Sans Mono", monospace; background: var(--alt);
  border: 1px solid var(--border); border-radius: 0.25rem; padding: 0.4rem 0.6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.1rem; columns: 30rem 2; column-gap: 2rem; }
footer { color: var(--muted); font-size: 0.78rem; }
@page { size: A4; margin: 12mm; }
@media print {
  body { background: none; font-size: 8pt; }
  main { max-width: none; padding: 0; gap: 2.5mm; }
  .charts { grid-template-columns: 1fr 1fr; gap: 2.5mm; }
  .columns { columns: 2; column-gap: 2.5mm; }
  dl.figures { grid-template-columns: repeat(5, 1fr); }
  figure, tr, header, dl.figures, .pairs { break-inside: avoid; }
  thead { display: table-header-group; }
  h2 { break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace pitwall
