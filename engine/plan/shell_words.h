// SPDX-License-Identifier: GPL-3.0-or-later
// Words of a pasted command line, as a POSIX shell parts them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/variable_text.h"

namespace pitwall {

using Words = std::vector<std::string>;

/// One list a command: new lines, ; | & and their doubles part them; a backslash before a line's end joins;
/// comments and redirections are left out. Quotes that never close are an error that shows where they begin.
/// With `variables` references to those that are known, or assigned by an earlier command, are filled in;
/// others stay as they stand.
Result<std::vector<Words>> split_shell(std::string_view text, Variables* variables = nullptr);

/// Words by blanks, quotes and backslashes alone, as compose parts a command.
Result<Words> split_words(std::string_view text);

/// The word in single quotes where a shell would not read it back as it is; in double ones where it holds
/// references that are to be filled in.
std::string shell_quote(std::string_view word);

/// Words on lines of at most `width` characters, a flag and its value together, ends joined by backslashes.
std::string paste_text(const Words& words, std::size_t width = 100);

}  // namespace pitwall
