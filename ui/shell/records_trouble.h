// SPDX-License-Identifier: GPL-3.0-or-later
// What to say when the records cannot be opened and something stands in for them.
#pragma once
#include "engine/store/store.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

/// `why`: of Store::open(); `access`: of what stands in.
Banner records_trouble(const Error& why, Store::Access access);

/// In the desktop's file manager, where runs, chats and models are.
void open_records_folder();

}  // namespace pitwall::ui
