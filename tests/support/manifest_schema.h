// SPDX-License-Identifier: GPL-3.0-or-later
// Structure of manifests: which keys an object of a public schema has, of what type, and which it must have.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pitwall::test {

/// A YAML text of one or several documents as JSON; numbers and booleans as YAML 1.2 reads them.
std::vector<nlohmann::json> yaml_documents(const std::string& text);

/// The part of the compose specification (compose-spec.json) that a service of a GPU uses.
std::vector<std::string> compose_faults(const nlohmann::json& document);

/// The part of the Kubernetes OpenAPI (v1.30: apps/v1 Deployment, v1 Service, PersistentVolumeClaim) that one
/// container with a GPU, probes and volumes uses, and that selectors, volumes and ports agree.
std::vector<std::string> kubernetes_faults(const nlohmann::json& document);

}  // namespace pitwall::test
