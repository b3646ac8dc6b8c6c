// SPDX-License-Identifier: GPL-3.0-or-later
// Deployments that the user keeps: one JSON file each in data_folder()/deployments.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/plan/deployment.h"

namespace pitwall {

std::filesystem::path deployments_folder();
/// By name; files that cannot be read or parsed are left out, and the last of them is said in `trouble`.
std::vector<Deployment> saved_deployments(std::string* trouble = nullptr);
/// Under deployment.name, in place of an earlier one of that name.
Result<std::filesystem::path> save_deployment(const Deployment& deployment);

}  // namespace pitwall
