# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the commit of SOURCE as a C string into OUTPUT, touching it only when it changes.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${commit}\"\n")
