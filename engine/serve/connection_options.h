// SPDX-License-Identifier: GPL-3.0-or-later
// Options of a client's socket.
#pragma once

namespace pitwall {

/// Written bytes leave at once, a slow reader shows in a bounded send buffer, a peer that vanished in the
/// end, and nothing paces what stays on this machine. Where an option cannot be set the kernel's own stays.
void set_connection_options(int descriptor);

}  // namespace pitwall
