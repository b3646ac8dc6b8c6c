// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/manifest_schema.h"

#include <yaml-cpp/yaml.h>

#include <regex>
#include <set>

namespace pitwall::test {

namespace {

using json = nlohmann::json;

json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    json object = json::object();
    for (const auto& each : node) object[each.first.as<std::string>()] = json_of(each.second);
    return object;
  }
  if (node.IsSequence()) {
    json list = json::array();
    for (const YAML::Node& each : node) list.push_back(json_of(each));
    return list;
  }
  if (!node.IsScalar()) return nullptr;
  const std::string text = node.as<std::string>();
  if (node.Tag() == "!") return text;  // quoted
  const json value = json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : json(text);
}

// A small schema language: "string", "integer", "boolean", "any"; {"key": schema, "key!": required};
// ["schema"] a list; {"*": schema} any keys; {"/pattern/": 0} as a string "/pattern/".
void check(const json& schema, const json& value, const std::string& path, std::vector<std::string>& faults) {
  if (schema.is_array()) {
    if (!value.is_array()) return faults.push_back(path + " is no list");
    for (std::size_t i = 0; i < value.size(); ++i)
      check(schema[0], value[i], path + "[" + std::to_string(i) + "]", faults);
    return;
  }
  if (schema.is_object()) {
    if (!value.is_object()) return faults.push_back(path + " is no object");
    std::set<std::string> known;
    for (const auto& [key, each] : schema.items()) {
      const bool required = key.ends_with("!");
      const std::string name = required ? key.substr(0, key.size() - 1) : key;
      known.insert(name);
      if (value.contains(name)) {
        check(each, value[name], path + "." + name, faults);
      } else if (required) {
        faults.push_back(path + " lacks " + name);
      }
    }
    for (const auto& [key, each] : value.items()) {
      if (known.contains(key)) continue;
      if (schema.contains("*")) {
        check(schema["*"], each, path + "." + key, faults);
      } else {
        faults.push_back(path + " has the unknown key " + key);
      }
    }
    return;
  }
  const std::string type = schema;
  const bool fits = type == "any" || (type == "string" && value.is_string()) ||
                    (type == "integer" && value.is_number_integer()) ||
                    (type == "boolean" && value.is_boolean()) ||
                    (type.starts_with('/') && value.is_string() &&
                     std::regex_match(value.get<std::string>(), std::regex(type.substr(1, type.size() - 2))));
  if (!fits) faults.push_back(path + " is " + value.dump() + ", not " + type);
}

const char* kName = R"("/[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/")";
const char* kQuantity = R"("/[0-9]+(Ki|Mi|Gi|Ti|m|k|M|G)?/")";

std::string with_types(std::string schema) {
  for (const auto& [word, type] : {std::pair{"NAME", kName}, std::pair{"QUANTITY", kQuantity}}) {
    for (std::size_t at = schema.find(word); at != std::string::npos; at = schema.find(word))
      schema.replace(at, std::string(word).size(), type);
  }
  return schema;
}

const json& compose_schema() {
  static const json schema = json::parse(R"({
    "services!": {"*": {
      "image!": "string", "command": ["string"], "environment": {"*": "string"}, "ports": ["/[0-9]+:[0-9]+/"],
      "volumes": [{"type!": "/volume|bind/", "source!": "string", "target!": "/\\/.*/", "read_only": "boolean",
                   "bind": {"create_host_path": "boolean"}}],
      "shm_size": "/[0-9]+(b|kb|mb|gb)/",
      "deploy": {"resources!": {"reservations!": {"devices!": [
        {"driver": "string", "count": "integer", "device_ids": ["string"], "capabilities!": ["string"]}]}}},
      "healthcheck": {"test!": ["string"], "interval": "/[0-9]+s/", "timeout": "/[0-9]+s/", "retries": "integer",
                      "start_period": "/[0-9]+s/"},
      "stop_grace_period": "/[0-9]+s/", "restart": "/no|always|on-failure|unless-stopped/"}},
    "volumes": {"*": {}}})");
  return schema;
}

const json& kubernetes_schema(const std::string& kind) {
  static const std::string kProbe =
      R"({"httpGet!": {"path!": "/\\/.*/", "port!": NAME}, "periodSeconds": "integer",
      "timeoutSeconds": "integer", "failureThreshold": "integer", "initialDelaySeconds": "integer"})";
  static const std::string kMeta = R"({"name!": NAME, "labels": {"*": NAME}})";
  static const json deployment = json::parse(with_types(R"({
    "apiVersion!": "/apps\\/v1/", "kind!": "/Deployment/", "metadata!": )" +
                                                        kMeta + R"(,
    "spec!": {"replicas": "integer", "strategy": {"type": "/Recreate|RollingUpdate/"},
      "selector!": {"matchLabels!": {"*": NAME}},
      "template!": {"metadata!": {"labels!": {"*": NAME}}, "spec!": {
        "enableServiceLinks": "boolean", "terminationGracePeriodSeconds": "integer",
        "containers!": [{
          "name!": NAME, "image!": "string", "command": ["string"], "args": ["string"],
          "env": [{"name!": "/[A-Z_][A-Z0-9_]*/", "value": "string",
                   "valueFrom": {"secretKeyRef!": {"name!": NAME, "key!": NAME, "optional": "boolean"}}}],
          "ports": [{"name": NAME, "containerPort!": "integer"}],
          "resources": {"limits!": {"nvidia.com/gpu!": "integer"}},
          "startupProbe": )" + kProbe + R"(, "readinessProbe": )" +
                                                        kProbe + R"(, "livenessProbe": )" + kProbe + R"(,
          "volumeMounts": [{"name!": NAME, "mountPath!": "/\\/[^:]*/", "readOnly": "boolean"}]}],
        "volumes": [{"name!": NAME, "persistentVolumeClaim": {"claimName!": NAME},
                     "emptyDir": {"medium": "/Memory/", "sizeLimit": QUANTITY}, "hostPath": {"path!": "/\\/.*/"}}]}}}})"));
  static const json service = json::parse(with_types(R"({
    "apiVersion!": "/v1/", "kind!": "/Service/", "metadata!": )" +
                                                     kMeta + R"(,
    "spec!": {"selector!": {"*": NAME}, "ports!": [{"name": NAME, "port!": "integer", "targetPort": NAME}]}})"));
  static const json claim = json::parse(with_types(R"({
    "apiVersion!": "/v1/", "kind!": "/PersistentVolumeClaim/", "metadata!": )" +
                                                   kMeta + R"(,
    "spec!": {"accessModes!": ["/ReadWriteOnce|ReadWriteMany|ReadOnlyMany/"],
              "resources!": {"requests!": {"storage!": QUANTITY}}}})"));
  static const json none;
  if (kind == "Deployment") return deployment;
  if (kind == "Service") return service;
  return kind == "PersistentVolumeClaim" ? claim : none;
}

void agreement(const json& deployment, std::vector<std::string>& faults) {
  const json& spec = deployment["spec"];
  const json& pod = spec["template"]["spec"];
  if (spec["selector"]["matchLabels"] != spec["template"]["metadata"]["labels"])
    faults.push_back("the selector does not match the labels of the template");
  std::set<std::string> volumes, ports;
  for (const json& volume : pod["volumes"]) volumes.insert(volume["name"]);
  for (const json& container : pod["containers"]) {
    for (const json& mount : container["volumeMounts"]) {
      if (!volumes.contains(mount["name"])) faults.push_back("no volume for mount " + mount["name"].dump());
    }
    for (const json& port : container["ports"]) ports.insert(port["name"]);
    for (const char* probe : {"startupProbe", "readinessProbe", "livenessProbe"}) {
      if (!ports.contains(container[probe]["httpGet"]["port"]))
        faults.push_back(std::string(probe) + " has no port");
    }
    for (const json& variable : container["env"]) {
      if (variable.contains("value") == variable.contains("valueFrom"))
        faults.push_back(variable["name"].dump() + " needs a value or a secret");
    }
  }
}

}  // namespace

std::vector<json> yaml_documents(const std::string& text) {
  std::vector<json> documents;
  for (const YAML::Node& each : YAML::LoadAll(text)) documents.push_back(json_of(each));
  return documents;
}

std::vector<std::string> compose_faults(const json& document) {
  std::vector<std::string> faults;
  check(compose_schema(), document, "", faults);
  return faults;
}

std::vector<std::string> kubernetes_faults(const json& document) {
  const json& schema = kubernetes_schema(document.value("kind", ""));
  if (schema.is_null()) return {"the kind is unknown"};
  std::vector<std::string> faults;
  check(schema, document, "", faults);
  if (faults.empty() && document["kind"] == "Deployment") agreement(document, faults);
  return faults;
}

}  // namespace pitwall::test
