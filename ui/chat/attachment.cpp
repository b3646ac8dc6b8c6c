// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/attachment.h"

#include <QCoreApplication>
#include <QFileInfo>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Attachments {
  Q_DECLARE_TR_FUNCTIONS(Attachments)
};

Error refusal(const QString& what, const QString& action) {
  return {Error::Kind::invalid_input, what.toStdString(), {}, action.toStdString(), "attachment"};
}

}  // namespace

Result<Attachment> read_text_file(const QString& path) {
  const QFileInfo info(path);
  const QString name = info.fileName();
  if (info.isDir())
    return refusal(Attachments::tr("“%1” is a folder").arg(name), Attachments::tr("Attach its text files"));
  if (info.size() > kLargestAttachment) {
    return refusal(Attachments::tr("“%1” has %2; a file of up to %3 can be attached")
                       .arg(name, bytes_text(info.size()), bytes_text(kLargestAttachment)),
                   Attachments::tr("Attach the part that matters"));
  }
  auto content = read_file(path.toStdString(), kLargestAttachment);
  if (!content) return content.error();
  if (content->find('\0') != std::string::npos)
    return refusal(Attachments::tr("“%1” is not a text file: it has zero bytes").arg(name),
                   Attachments::tr("Attach a text file"));
  if (!is_valid_utf8(*content))
    return refusal(Attachments::tr("“%1” is not UTF-8 text").arg(name),
                   Attachments::tr("Save it as UTF-8, then attach it again"));
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (content->starts_with(kMark)) content->erase(0, kMark.size());
  if (content->empty())
    return refusal(Attachments::tr("“%1” is empty").arg(name), Attachments::tr("Attach another file"));
  return Attachment{name.toStdString(), *std::move(content), 0};
}

bool is_being_read(const Attachment& file) {
  return file.content.empty();
}

QString attachment_text(const Attachment& file) {
  const QString name = QString::fromStdString(file.name);
  if (is_being_read(file)) return Attachments::tr("%1 · reading…").arg(name);
  const QString size = bytes_text(static_cast<Bytes>(file.content.size()));
  return file.tokens > 0 ? Attachments::tr("%1 · %2 · %3 tokens").arg(name, size, count_text(file.tokens))
                         : Attachments::tr("%1 · %2").arg(name, size);
}

}  // namespace pitwall::ui
