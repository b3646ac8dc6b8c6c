// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/report_pdf.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QDateTime>
#include <QGuiApplication>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <QThread>
#include <memory>
#include <optional>
#include <vector>

#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr int kResolution = 96;       // units of QTextDocument's sizes
constexpr double kMargin = 12;        // mm
constexpr double kPrintedPoints = 8;  // of body text
constexpr int kPicture = QTextFormat::UserObject + 1;
constexpr QChar kPlace(0xE000);  // private use: no text has it

/// The style sheet of the HTML in the words that QTextDocument knows.
constexpr const char* kStyle =
    "h1 { font-size: 15pt; } h2 { font-size: 11pt; } small, .note, .subtitle, .muted, .detail, footer { "
    "color: "
    "#55606D; } .verdict { font-size: 9pt; } th { color: #55606D; text-align: left; } .strong, .value { "
    "font-weight: 600; } .good { color: #1A7340; } .warn { color: #8A5A00; } .bad { color: #BE2626; } code { "
    "font-family: 'Noto Sans Mono', 'DejaVu Sans Mono', monospace; }";

/// Draws the charts that were taken out of the HTML, in their places.
class Pictures final : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)

 public:
  explicit Pictures(double widest) : widest_(widest) {}
  void add(const QString& svg) {
    renderers_.push_back(std::make_unique<QSvgRenderer>(without_patterns(svg).toUtf8()));
  }
  QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
    const QSizeF size = renderer(format).defaultSize();
    return size * std::min(1.0, widest_ / size.width());
  }
  void drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
                  const QTextFormat& format) override {
    renderer(format).render(painter, rect);
  }

 private:
  /// Qt's SVG knows no patterns: their colour takes their place, and the labels tell the parts apart.
  static QString without_patterns(QString svg) {
    static const QRegularExpression pattern(
        QStringLiteral("<pattern id=\"([^\"]*)\".*?fill=\"([^\"]*)\".*?</pattern>"),
        QRegularExpression::DotMatchesEverythingOption);
    for (auto found = pattern.globalMatch(svg); found.hasNext();) {
      const QRegularExpressionMatch one = found.next();
      svg.replace(QStringLiteral("url(#%1)").arg(one.captured(1)), one.captured(2));
    }
    return svg.remove(pattern);
  }

  QSvgRenderer& renderer(const QTextFormat& format) {
    return *renderers_[static_cast<std::size_t>(format.intProperty(kPicture))];
  }
  double widest_;
  std::vector<std::unique_ptr<QSvgRenderer>> renderers_;
};

/// Figures stand side by side in HTML by its style; here as a table.
QString with_figure_table(QString html) {
  static const QRegularExpression one(QStringLiteral(
      "<div><dt>(.*?)</dt><dd class=\"value\">(.*?)</dd><dd class=\"detail\">(.*?)</dd></div>"));
  html.replace(
      one, QStringLiteral("<tr><td>\\1</td><td class=\"value\">\\2</td><td class=\"detail\">\\3</td></tr>"));
  html.replace(QStringLiteral("<dl class=\"figures\">"), QStringLiteral("<table width=\"100%\">"));
  return html.replace(QStringLiteral("</dl>"), QStringLiteral("</table>"));
}

/// So do settings and their values, and the points of a list.
QString with_plain_lists(QString html) {
  static const QRegularExpression pair(
      QStringLiteral("<div><span>(.*?)</span><span class=\"muted\">(.*?)</span></div>"));
  static const QRegularExpression pairs(QStringLiteral("<div class=\"pairs\">(.*?)</div>\\n</section>"),
                                        QRegularExpression::DotMatchesEverythingOption);
  html.replace(pair, QStringLiteral("<tr><td>\\1</td><td class=\"muted\">\\2</td></tr>"));
  html.replace(pairs, QStringLiteral("<table>\\1</table>"));
  html.remove(QStringLiteral("<ul>")).remove(QStringLiteral("</ul>"));
  html.replace(QStringLiteral("<li>"), QStringLiteral("<p>• "));
  return html.replace(QStringLiteral("</li>"), QStringLiteral("</p>"));
}

/// Takes the charts out of the HTML; kPlace marks where they stood.
QString without_pictures(QString html, Pictures& pictures) {
  for (;;) {
    const qsizetype from = html.indexOf(QStringLiteral("<svg "));
    if (from < 0) return html;
    const QString end = QStringLiteral("</svg>");
    const qsizetype to = html.indexOf(end, from) + end.size();
    pictures.add(html.mid(from, to - from));
    html.replace(from, to - from, QStringLiteral("<p>%1</p>").arg(kPlace));
  }
}

void put_pictures(QTextDocument& document) {
  QTextCursor at(&document);
  for (int i = 0; !(at = document.find(QString(kPlace), at)).isNull(); ++i) {
    QTextCharFormat format;
    format.setObjectType(kPicture);
    format.setProperty(kPicture, i);
    at.insertText(QString(QChar::ObjectReplacementCharacter), format);
  }
}

void print(QTextDocument& document, QPdfWriter& writer, const QSizeF& page) {
  QPainter painter(&writer);
  const int pages = document.pageCount();
  for (int i = 0; i < pages; ++i) {
    if (i > 0) writer.newPage();
    painter.save();
    painter.translate(0, -i * page.height());
    const QRectF clip(0, i * page.height(), page.width(), page.height());
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = clip;
    context.palette.setColor(QPalette::Text, Theme::colour(Colour::text, false));  // paper is light
    painter.setClipRect(clip);
    document.documentLayout()->draw(&painter, context);
    painter.restore();
  }
}

/// Qt writes the time of the export: the report's own takes its place, in the same number of bytes.
void set_time(QByteArray& pdf, Nanos utc) {
  const QByteArray key = "/CreationDate (";
  const qsizetype from = pdf.indexOf(key) + key.size(), to = pdf.indexOf(')', from);
  if (from < key.size() || to < from) return;
  const QByteArray time = QDateTime::fromMSecsSinceEpoch(utc / kNanosPerMs, Qt::UTC)
                              .toString(QStringLiteral("'D:'yyyyMMddHHmmss"))
                              .toLatin1();
  pdf.replace(from, to - from, time.leftJustified(to - from, ' ', true));
}

Result<std::string> made_pdf(const std::string& html, Nanos utc) {
  QByteArray pdf;
  QBuffer buffer(&pdf);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kResolution);
  writer.setPageSize(QPageSize(QPageSize::A4));
  writer.setPageMargins({kMargin, kMargin, kMargin, kMargin}, QPageLayout::Millimeter);
  writer.setCreator(QStringLiteral("Pitwall"));
  const QSizeF page = writer.pageLayout().paintRectPixels(kResolution).size();

  QTextDocument document;
  QFont font = QGuiApplication::font();
  font.setPointSizeF(kPrintedPoints);
  font.setStyleStrategy(QFont::PreferNoShaping);  // a ligature hides "fi" from who searches the file
  document.setDefaultFont(font);
  document.setDefaultStyleSheet(QLatin1String(kStyle));
  document.setDocumentMargin(0);
  document.documentLayout()->setPaintDevice(&writer);
  Pictures pictures(page.width());
  document.documentLayout()->registerHandler(kPicture, &pictures);
  QString text = QString::fromStdString(html);
  static const QRegularExpression style(QStringLiteral("<style>.*?</style>"),
                                        QRegularExpression::DotMatchesEverythingOption);
  text.remove(style);
  text.replace(QStringLiteral("<small>"), QStringLiteral("&nbsp; <small>"));  // its margin is of the style
  document.setHtml(without_pictures(with_plain_lists(with_figure_table(text)), pictures));
  put_pictures(document);
  document.setPageSize(page);  // lays all of it out anew: pictures are no plain letters
  writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
  print(document, writer, page);
  buffer.close();
  if (pdf.isEmpty())
    return Error{Error::Kind::internal, "The PDF is empty", "Qt could not write it", "Export HTML instead",
                 ""};
  set_time(pdf, utc);
  return pdf.toStdString();
}

}  // namespace

Result<std::string> report_pdf(const std::string& html, Nanos utc) {
  // The document's layout starts timers, which threads of Qt alone have.
  std::optional<Result<std::string>> pdf;
  const std::unique_ptr<QThread> thread(QThread::create([&] { pdf = made_pdf(html, utc); }));
  thread->start();
  thread->wait();
  return *pdf;
}

}  // namespace pitwall::ui

#include "report_pdf.moc"
