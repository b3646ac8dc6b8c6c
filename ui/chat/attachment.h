// SPDX-License-Identifier: GPL-3.0-or-later
// Text files that go with a message.
#pragma once
#include <QString>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/store/store.h"

namespace pitwall::ui {

inline constexpr Bytes kLargestAttachment = Bytes{1} << 20;
inline constexpr std::size_t kMostAttachments = 8;  ///< of one message

/// UTF-8 text without NUL, at most kLargestAttachment. A byte order mark is left out.
Result<Attachment> read_text_file(const QString& path);
/// It has no content yet: a file without any is refused.
bool is_being_read(const Attachment& file);
QString attachment_text(const Attachment& file);  ///< "steps.csv · 2.1 KiB · 1,024 tokens"

}  // namespace pitwall::ui
