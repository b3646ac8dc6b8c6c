// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands. Each add_…_command describes its options to CLI11 and, when the user chose it, sets
// `action`; main runs that after the whole command line has been found sound.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "engine/base/result.h"

namespace pitwall::ctl {

using Action = std::function<Result<void>()>;

void add_model_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_logits_command(CLI::App& app, Action& action);
void add_perplexity_command(CLI::App& app, Action& action);
void add_tokenize_command(CLI::App& app, Action& action);
void add_detokenize_command(CLI::App& app, Action& action);
void add_template_command(CLI::App& app, Action& action);
void add_serve_command(CLI::App& app, Action& action);
void add_check_command(CLI::App& app, Action& action);
void add_fetch_command(CLI::App& app, Action& action);
void add_runs_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_import_command(CLI::App& app, Action& action);
void add_flags_command(CLI::App& app, Action& action);
void add_floors_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);
void add_bench_kernels_command(CLI::App& app, Action& action);
void add_selftest_command(CLI::App& app, Action& action);
void add_simulate_command(CLI::App& app, Action& action);
void add_sweep_command(CLI::App& app, Action& action);
void add_plan_command(CLI::App& app, Action& action);

}  // namespace pitwall::ctl
