// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/plan/deployment.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/host_paths.h"

namespace pitwall {

namespace {

constexpr int kGpusOfANode = 8;

constexpr const char* kAllAddresses = "0.0.0.0";
constexpr std::int64_t kEngineSeconds = 600;  // compiling, capturing, warming up
constexpr std::int64_t kLoadBytesPerSecond = 100'000'000;
constexpr std::int64_t kProbeSeconds = 10, kGraceSeconds = 120;
constexpr Bytes kSharedMemory = 8 * kGiB;  // NCCL and tensors between processes

/// JSON texts are YAML texts, whatever they hold.
std::string yaml_quoted(std::string_view text) {
  return nlohmann::json(text).dump();
}

Error no_image(const EngineProfile& engine) {
  std::string known;
  for (const EngineProfile& each : engine_profiles()) {
    if (each.container) known += (known.empty() ? "" : ", ") + each.name;
  }
  return {Error::Kind::unsupported, fmt::format("There is no manifest for {}", engine.title),
          "Its container image is not described", "These have one: " + known, "format"};
}

/// Names of Kubernetes: lower case letters, digits and hyphens, a letter first; no word that YAML reads as
/// something else.
std::string object_name(std::string_view wanted) {
  std::string name;
  for (const char letter : wanted) {
    const char low = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    const bool plain = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? low : '-';
  }
  while (!name.empty() && (name.back() == '-' || name.size() > 50)) name.pop_back();
  if (name.empty()) return "engine";
  static constexpr std::string_view kWords[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const bool word = std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
  return word || (name.front() >= '0' && name.front() <= '9') ? "engine-" + name : name;
}

struct Container {
  Words words;           // behind the image
  std::string variable;  // of the key of clients; empty = none is asked for
  int port = 0;
  int gpus = 1, replicas = 1;  // that the flags use; that the engine runs itself
  HostPaths paths;
  std::string note;  // what of the address was changed
};

/// The flags read back: what the other engine could not be told takes no GPUs.
Result<void> count_gpus(const WrittenFlags& written, Container& container) {
  EngineCommand command;
  command.engine = written.engine;
  command.arguments = written.arguments;
  command.environment = written.environment;
  const auto reading = read_engine_settings(command);
  if (!reading.ok()) return reading.error();
  const Deployment told = deployment_of(reading->settings, *written.engine, std::nullopt);
  container.gpus = told.gpus;
  container.replicas = told.gpus / (told.tensor_parallel * told.pipeline_parallel);
  return {};
}

/// The flags with the port that they state, else the image's; the container listens on all addresses.
Result<Container> container_of(const WrittenFlags& written) {
  const EngineContainer& image = *written.engine->container;
  Container out;
  if (auto counted = count_gpus(written, out); !counted.ok()) return counted.error();
  out.port = image.port;
  const std::string model = written.model.empty() ? "MODEL" : out.paths.mount(written.model);
  for (const std::string& word : image.command) out.words.push_back(word == "{model}" ? model : word);
  const auto first_flag = [&](std::string_view setting) -> std::string {
    const EngineSetting* found = written.engine->find(setting);
    return found == nullptr || found->flags.front().names.empty() ? "" : found->flags.front().names.front();
  };
  const std::string host = first_flag("host"), port = first_flag("port"), key = first_flag("api-key");
  bool names_files = false;
  for (std::size_t i = 0; i < written.arguments.size(); ++i) {
    const std::string& word = written.arguments[i];
    if (word.starts_with('-'))
      names_files = std::find(image.paths.begin(), image.paths.end(), word) != image.paths.end();
    if (word == host || word == port) {
      const std::string& value = written.arguments[++i];
      if (word == port) std::from_chars(value.data(), value.data() + value.size(), out.port);
      if (word == host && value != kAllAddresses)
        out.note = fmt::format(
            "{} {} became {}: a container is reached from outside it; who may reach the "
            "published port is for the host's or the cluster's rules",
            host, value, kAllAddresses);
      continue;
    }
    if (word == key) out.variable = written.arguments[i + 1].substr(1);
    out.words.push_back(names_files ? out.paths.mount(word) : word);
  }
  if (out.port == 0) out.port = image.port;
  out.words.insert(out.words.end(), {host, kAllAddresses, port, fmt::format("{}", out.port)});
  const EngineSetting* setting = written.engine->find("api-key");
  if (out.variable.empty()) {
    out.variable = setting->flags.front().environment;
    if (out.variable.empty()) {  // an engine that takes its key as a flag alone
      out.variable = "API_KEY";
      out.words.insert(out.words.end(), {key, "$API_KEY"});
    }
  }
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Both formats replace what a dollar begins, and take two for one.
std::string escaped(const std::string& text) {
  return replaced(text, "$", "$$");
}

/// For compose: references stay, to be filled in where it is started; what else looks like one is escaped.
std::string for_compose(const std::string& text) {
  return holds_references(text) ? text : escaped(text);
}

/// The words with the key's "$NAME" as the format fills it in.
template <class Text>
Words words_with_key(const Container& container, std::string key, Text text) {
  Words words;
  for (const std::string& word : container.words) {
    const bool is_key = !container.variable.empty() && word == "$" + container.variable;
    words.push_back(is_key ? key : text(word));
  }
  return words;
}

/// Variables that the words leave to be filled in, beside the key.
std::string references_in(const Container& container) {
  Variables unknown;
  for (const std::string& word : container.words) {
    if (holds_references(word)) unknown.fill_compose(word);
  }
  std::set<std::string> names = unknown.missing();
  names.erase(container.variable);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string list(const Words& words, std::string_view indent) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}- {}\n", indent, yaml_quoted(word));
  return text;
}

std::vector<std::string> notes_of(const WrittenFlags& written, const Container& container) {
  const EngineContainer& image = *written.engine->container;
  std::vector<std::string> notes = {fmt::format("Image {}: {}", image.image, image.source)};
  if (!container.note.empty()) notes.push_back(container.note);
  std::string mounted;
  for (const HostPath& path : container.paths.list()) mounted += (mounted.empty() ? "" : ", ") + path.told;
  if (!mounted.empty())
    notes.push_back(fmt::format("Mounted read-only, and has to be there on each host: {}", mounted));
  return notes;
}

}  // namespace

std::int64_t start_seconds(Bytes weights) {
  return kEngineSeconds + std::max<Bytes>(weights, 0) / kLoadBytesPerSecond;
}

Result<Manifest> compose_file(const WrittenFlags& written, const ManifestOptions& options) {
  if (!written.engine->container) return no_image(*written.engine);
  const EngineContainer& image = *written.engine->container;
  const auto described = container_of(written);
  if (!described.ok()) return described.error();
  const Container& container = *described;
  const std::string name = object_name(options.name.empty() ? written.engine->name : options.name);
  const Words words = words_with_key(
      container, fmt::format("${{{}:?give the key of clients}}", container.variable), for_compose);
  std::string mounts;
  for (const HostPath& path : container.paths.list()) {  // the short form has colons of its own
    mounts += fmt::format(
        "      - type: bind\n        source: {}\n        target: {}\n        read_only: true\n"
        "        bind:\n          create_host_path: false\n",
        yaml_quoted(for_compose(path.told)), yaml_quoted(escaped(path.inside)));
  }
  std::string environment;
  for (const auto& [variable, value] : written.environment)
    environment += fmt::format("      {}: {}\n", variable, yaml_quoted(for_compose(value)));
  environment += fmt::format("      {}: ${{{}:-}}\n", image.token, image.token);
  environment += fmt::format("      {0}: ${{{0}:?give the key of clients}}\n", container.variable);

  Manifest manifest;
  manifest.text = fmt::format(
      "services:\n"
      "  {name}:\n"
      "    image: {image}\n"
      "    command:\n"
      "{words}"
      "    environment:\n"
      "{environment}"
      "    ports:\n"
      "      - \"{port}:{port}\"\n"
      "    volumes:\n"
      "      - type: volume\n"
      "        source: weights\n"
      "        target: {cache}\n"
      "{mounts}"
      "    shm_size: {shared}gb\n"
      "    deploy:\n"
      "      resources:\n"
      "        reservations:\n"
      "          devices:\n"
      "            - driver: nvidia\n"
      "              count: {gpus}\n"
      "              capabilities: [gpu]\n"
      "    healthcheck:\n"
      "      test: [\"CMD-SHELL\", \"curl -fsS http://127.0.0.1:{port}{health}\"]\n"
      "      interval: {probe}s\n"
      "      timeout: 5s\n"
      "      retries: 3\n"
      "      start_period: {start}s\n"
      "    stop_grace_period: {grace}s\n"
      "    restart: unless-stopped\n"
      "\n"
      "volumes:\n"
      "  weights: {{}}\n",
      fmt::arg("name", name), fmt::arg("image", image.image), fmt::arg("words", list(words, "      ")),
      fmt::arg("environment", environment), fmt::arg("port", container.port), fmt::arg("cache", image.cache),
      fmt::arg("mounts", mounts), fmt::arg("shared", kSharedMemory / kGiB), fmt::arg("gpus", container.gpus),
      fmt::arg("health", image.health), fmt::arg("probe", kProbeSeconds),
      fmt::arg("start", start_seconds(options.weights)), fmt::arg("grace", kGraceSeconds));
  manifest.notes = notes_of(written, container);
  manifest.notes.push_back(fmt::format(
      "Before `docker compose up`: put {} and, for gated models, {} into the environment or a file .env",
      container.variable, image.token));
  if (const std::string names = references_in(container); !names.empty())
    manifest.notes.push_back(fmt::format("The command holds variables; put them there too: {}", names));
  if (options.replicas > container.replicas)
    manifest.notes.push_back(
        fmt::format("Compose runs one of the {} replicas", options.replicas / container.replicas));
  return manifest;
}

Result<Manifest> kubernetes_manifest(const WrittenFlags& written, const ManifestOptions& options) {
  if (!written.engine->container) return no_image(*written.engine);
  const EngineContainer& image = *written.engine->container;
  const auto described = container_of(written);
  if (!described.ok()) return described.error();
  const Container& container = *described;
  // "vllm" would give other pods the variable VLLM_PORT, which their vLLM takes for its own.
  const std::string name =
      object_name(options.name.empty() ? written.engine->name + "-server" : options.name);
  const std::string secret = options.api_key_name.empty() ? name + "-secrets" : options.api_key_name;
  const Words words = words_with_key(container, fmt::format("$({})", container.variable), escaped);
  std::string environment;
  for (const auto& [variable, value] : written.environment)
    environment += fmt::format("            - name: {}\n              value: {}\n", variable,
                               yaml_quoted(escaped(value)));
  std::string mounts, hosts, moved;
  int paths = 0;
  for (const HostPath& path : container.paths.list()) {
    const std::string volume = fmt::format("host-{}", ++paths);
    const bool absolute = is_absolute_path(path.told);
    mounts +=
        fmt::format("            - name: {}\n              mountPath: {}\n              readOnly: true\n",
                    volume, yaml_quoted(path.inside));
    hosts += fmt::format("        - name: {}\n          hostPath:\n            path: {}\n", volume,
                         yaml_quoted(absolute ? path.told : path.inside));
    if (!absolute) moved += fmt::format("{}{} to {}", moved.empty() ? "" : ", ", path.told, path.inside);
  }
  const auto from_secret = [&](std::string_view variable, std::string_view key, bool optional) {
    environment += fmt::format(
        "            - name: {}\n              valueFrom:\n                secretKeyRef:\n"
        "                  name: {}\n                  key: {}\n{}",
        variable, secret, key, optional ? "                  optional: true\n" : "");
  };
  from_secret(container.variable, "api-key", false);
  from_secret(image.token, "hub-token", true);
  const std::int64_t start = start_seconds(options.weights);
  const std::int64_t volume = options.weights > 0 ? (options.weights * 3 / 2 + kGiB - 1) / kGiB + 10 : 200;

  Manifest manifest;
  manifest.text = fmt::format(
      "apiVersion: v1\n"
      "kind: PersistentVolumeClaim\n"
      "metadata:\n"
      "  name: {name}-weights\n"
      "spec:\n"
      "  accessModes: [ReadWriteOnce]\n"
      "  resources:\n"
      "    requests:\n"
      "      storage: {volume}Gi\n"
      "---\n"
      "apiVersion: apps/v1\n"
      "kind: Deployment\n"
      "metadata:\n"
      "  name: {name}\n"
      "  labels:\n"
      "    app: {name}\n"
      "spec:\n"
      "  replicas: {replicas}\n"
      "  strategy:\n"
      "    type: Recreate\n"
      "  selector:\n"
      "    matchLabels:\n"
      "      app: {name}\n"
      "  template:\n"
      "    metadata:\n"
      "      labels:\n"
      "        app: {name}\n"
      "    spec:\n"
      "      enableServiceLinks: false\n"  // variables of Services would shadow the engine's own: VLLM_PORT
      "      terminationGracePeriodSeconds: {grace}\n"
      "      containers:\n"
      "        - name: {name}\n"
      "          image: {image}\n"
      "          args:\n"
      "{words}"
      "          env:\n"
      "{environment}"
      "          ports:\n"
      "            - name: http\n"
      "              containerPort: {port}\n"
      "          resources:\n"
      "            limits:\n"
      "              nvidia.com/gpu: {gpus}\n"
      "          startupProbe:\n"
      "            httpGet:\n"
      "              path: {health}\n"
      "              port: http\n"
      "            periodSeconds: {probe}\n"
      "            failureThreshold: {failures}\n"
      "          readinessProbe:\n"
      "            httpGet:\n"
      "              path: {health}\n"
      "              port: http\n"
      "            periodSeconds: {probe}\n"
      "          livenessProbe:\n"
      "            httpGet:\n"
      "              path: {health}\n"
      "              port: http\n"
      "            periodSeconds: {probe}\n"
      "            timeoutSeconds: 5\n"
      "            failureThreshold: 6\n"
      "          volumeMounts:\n"
      "            - name: weights\n"
      "              mountPath: {cache}\n"
      "            - name: shared-memory\n"
      "              mountPath: /dev/shm\n"
      "{mounts}"
      "      volumes:\n"
      "        - name: weights\n"
      "          persistentVolumeClaim:\n"
      "            claimName: {name}-weights\n"
      "        - name: shared-memory\n"
      "          emptyDir:\n"
      "            medium: Memory\n"
      "            sizeLimit: {shared}Gi\n"
      "{hosts}"
      "---\n"
      "apiVersion: v1\n"
      "kind: Service\n"
      "metadata:\n"
      "  name: {name}\n"
      "spec:\n"
      "  selector:\n"
      "    app: {name}\n"
      "  ports:\n"
      "    - name: http\n"
      "      port: {port}\n"
      "      targetPort: http\n",
      fmt::arg("name", name), fmt::arg("volume", volume),
      fmt::arg("replicas", std::max(1, options.replicas / container.replicas)), fmt::arg("mounts", mounts),
      fmt::arg("hosts", hosts), fmt::arg("grace", kGraceSeconds), fmt::arg("image", image.image),
      fmt::arg("words", list(words, "            ")), fmt::arg("environment", environment),
      fmt::arg("port", container.port), fmt::arg("gpus", container.gpus), fmt::arg("health", image.health),
      fmt::arg("probe", kProbeSeconds), fmt::arg("failures", (start + kProbeSeconds - 1) / kProbeSeconds),
      fmt::arg("cache", image.cache), fmt::arg("shared", kSharedMemory / kGiB));
  manifest.notes = notes_of(written, container);
  if (options.replicas > container.replicas) {
    manifest.notes.push_back(
        fmt::format("Kubernetes runs the replicas: {} pods", options.replicas / container.replicas));
  }
  if (container.gpus > kGpusOfANode) {
    manifest.notes.push_back(fmt::format(
        "{} GPUs in one pod are more than a node has: give each node a pod of its own, as LeaderWorkerSet "
        "does, with nodes, node rank and the first one's address",
        container.gpus));
  }
  if (!moved.empty())
    manifest.notes.push_back(
        fmt::format("Kubernetes mounts absolute paths alone; put on each host {}", moved));
  if (const std::string names = references_in(container); !names.empty())
    manifest.notes.push_back(
        fmt::format("Kubernetes fills in no variables of a shell; write the values of {}", names));
  if (name == written.engine->name) {
    manifest.notes.push_back(fmt::format(
        "A Service named {} sets variables of the engine in other pods of its namespace: give another --name",
        name));
  }
  manifest.notes.push_back(
      fmt::format("Before `kubectl apply`: kubectl create secret generic {} --from-file=api-key=FILE, and "
                  "--from-file=hub-token=FILE for gated models",
                  secret));
  return manifest;
}

}  // namespace pitwall
