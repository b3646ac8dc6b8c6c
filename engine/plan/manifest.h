// SPDX-License-Identifier: GPL-3.0-or-later
// Written flags as a docker compose file or Kubernetes manifests, for engines with an official image.
#pragma once
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/plan/flag_writer.h"

namespace pitwall {

struct ManifestOptions {
  std::string name = {};  ///< of service and objects; empty = after the engine
  int replicas = 1;       ///< wanted in all; Kubernetes starts those that the engine does not run itself
  Bytes weights = 0;      ///< for the time to start and the volume; 0 = not known
  std::string api_key_name = {};  ///< Kubernetes secret; empty = NAME-secrets
};

struct Manifest {
  std::string text;  ///< YAML
  std::vector<std::string> notes;
};

/// Seconds after which loading has failed: what the engine needs for itself, and the weights at 100 MB/s from
/// a hub or a slow disk.
std::int64_t start_seconds(Bytes weights);

/// A container has the GPUs that its flags use. Files and folders of the host that they name are mounted
/// read-only, and the flags say where the container finds them.

/// Keys come from the environment of `docker compose`, never from the file; so do other variables that the
/// flags hold. The error lists the engines that have an image, or names the flag that makes no sense.
Result<Manifest> compose_file(const WrittenFlags& written, const ManifestOptions& options);

/// A PersistentVolumeClaim for weights, a Deployment and a Service; keys come from a Secret that the notes
/// say how to make.
Result<Manifest> kubernetes_manifest(const WrittenFlags& written, const ManifestOptions& options);

}  // namespace pitwall
