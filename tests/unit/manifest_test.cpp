// SPDX-License-Identifier: GPL-3.0-or-later
// Compose files and Kubernetes manifests: valid by the public schemas, with the flags' numbers, without keys.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/manifest.h"
#include "tests/support/manifest_schema.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

EngineSettings settings() {
  EngineSettings out;
  out.values = {{"model", "meta-llama/Llama-3.1-70B-Instruct"},
                {"max-model-len", "16384"},
                {"max-num-seqs", "64"},
                {"max-num-batched-tokens", "4096"},
                {"tensor-parallel-size", "4"},
                {"kv-cache-dtype", "fp8_e4m3"},
                {"enable-prefix-caching", "false"},
                {"graph-sizes", "1,2,4"},
                {"host", "127.0.0.1"},
                {"port", "9000"},
                {"api-key", "(set)"}};
  return out;
}

const ManifestOptions kOptions{.weights = 140'000'000'000};

void report(const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) qWarning("%s", fault.c_str());
}

}  // namespace

class ManifestTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void engines_data();
  void compose_data() { engines_data(); }
  void compose();
  void kubernetes_data() { engines_data(); }
  void kubernetes();
  void come_back_data() { engines_data(); }
  void come_back();
  void shipped_deployments_on_every_engine_data();
  void shipped_deployments_on_every_engine();
  void names_and_texts_are_safe();
  void dollars_are_no_variables();
  void folders_are_mounted();
  void paths_of_any_kind();
  void references_stay();
  void gpus_are_those_of_the_flags_data();
  void gpus_are_those_of_the_flags();
  void services_are_not_called_like_the_engine();
  void others_have_none();
  void the_checks_find_faults();
};

void ManifestTest::engines_data() {
  QTest::addColumn<std::string>("name");
  for (const char* name : {"vllm", "sglang", "tgi"}) QTest::newRow(name) << std::string(name);
}

void ManifestTest::compose() {
  QFETCH(std::string, name);
  const auto file = compose_file(write_flags(**find_engine(name), settings(), std::nullopt), kOptions);
  QVERIFY(file.ok());
  const auto documents = yaml_documents(file->text);
  QCOMPARE(documents.size(), std::size_t{1});
  const auto faults = compose_faults(documents.front());
  report(faults);
  QVERIFY(faults.empty());
  const auto& service = documents.front()["services"][name];
  QVERIFY(service["deploy"]["resources"]["reservations"]["devices"][0]["count"] == 4);
  QVERIFY(service["deploy"]["resources"]["reservations"]["devices"][0]["capabilities"][0] == "gpu");
  QVERIFY(service["healthcheck"]["start_period"] == "2000s");  // 600 s and 140 GB at 100 MB/s
  QVERIFY(service["image"].get<std::string>().find(":latest") == std::string::npos);
  QVERIFY(service["image"].get<std::string>().find(':') != std::string::npos);
  QVERIFY(file->text.find(":?give the key of clients}") != std::string::npos);
}

void ManifestTest::kubernetes() {
  QFETCH(std::string, name);
  const auto file = kubernetes_manifest(write_flags(**find_engine(name), settings(), std::nullopt), kOptions);
  QVERIFY(file.ok());
  const auto documents = yaml_documents(file->text);
  QCOMPARE(documents.size(), std::size_t{3});
  for (const auto& document : documents) {
    const auto faults = kubernetes_faults(document);
    report(faults);
    QVERIFY(faults.empty());
  }
  const auto& claim = documents[0];
  const auto& deployment = documents[1];
  const auto& service = documents[2];
  const auto& pod = deployment["spec"]["template"]["spec"];
  const auto& container = pod["containers"][0];
  QVERIFY(container["resources"]["limits"]["nvidia.com/gpu"] == 4);
  QVERIFY(container["startupProbe"]["failureThreshold"] == 200);  // × 10 s
  QVERIFY(pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]);
  QVERIFY(pod["volumes"][1]["emptyDir"]["medium"] == "Memory");
  QVERIFY(container["volumeMounts"][1]["mountPath"] == "/dev/shm");
  QVERIFY(service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]);
  QVERIFY(service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]);
  QVERIFY(container["env"].dump().find("secretKeyRef") != std::string::npos);
}

// The manifest read as a configuration says what the flags say.
void ManifestTest::come_back() {
  QFETCH(std::string, name);
  const WrittenFlags written = write_flags(**find_engine(name), settings(), std::nullopt);
  for (const auto& file : {compose_file(written, kOptions), kubernetes_manifest(written, kOptions)}) {
    const auto command = read_config(file->text, nullptr);
    QVERIFY2(command.ok(), command.ok() ? "" : command.error().text().c_str());
    QCOMPARE(command->engine->name, name);
    QCOMPARE(command->gpus, 4);
    const auto reading = read_engine_settings(*command);
    QVERIFY(reading.ok());
    for (const char* setting : {"model", "max-model-len", "max-num-seqs", "max-num-batched-tokens",
                                "tensor-parallel-size", "kv-cache-dtype", "enable-prefix-caching"})
      QCOMPARE(*reading->settings.find(setting), settings().values.at(setting));
    QCOMPARE(*reading->settings.find("host"), std::string("0.0.0.0"));
    QCOMPARE(*reading->settings.find("port"), std::string("9000"));
    QVERIFY(reading->unmatched.empty());
  }
}

void ManifestTest::shipped_deployments_on_every_engine_data() {
  QTest::addColumn<std::string>("engine");
  QTest::addColumn<std::size_t>("place");
  for (const EngineProfile& engine : engine_profiles())
    for (std::size_t i = 0; i < shipped_deployments().size(); ++i)
      QTest::addRow("%s, %s", engine.name.c_str(), shipped_deployments()[i].name.c_str()) << engine.name << i;
}

void ManifestTest::shipped_deployments_on_every_engine() {
  QFETCH(std::string, engine);
  QFETCH(std::size_t, place);
  const Deployment& deployment = shipped_deployments()[place];
  const auto model = read_outline(deployment.model);
  QVERIFY(model.ok());
  const auto plan = plan_memory(deployment, *model, find_gpu(deployment.gpu).value());
  QVERIFY(plan.ok());
  const WrittenFlags written = write_flags(**find_engine(engine), *plan);
  if (!written.config.empty()) {
    const auto config = yaml_documents(written.config);
    QCOMPARE(config.size(), std::size_t{1});
    QVERIFY(config.front().is_object() && !config.front().empty());
  }
  ManifestOptions options;
  options.replicas = plan->replicas;
  options.weights = plan->model.weight_bytes();
  const auto compose = compose_file(written, options);
  const auto objects = kubernetes_manifest(written, options);
  const bool has_image = engine == "vllm" || engine == "sglang" || engine == "tgi";
  QCOMPARE(compose.ok(), has_image);
  QCOMPARE(objects.ok(), has_image);
  if (!has_image) return;
  QVERIFY(written.config.empty());  // a file of its own would have to be mounted
  const auto services = yaml_documents(compose->text);
  QCOMPARE(services.size(), std::size_t{1});
  std::vector<std::string> faults = compose_faults(services.front());
  for (const auto& document : yaml_documents(objects->text))
    for (std::string& fault : kubernetes_faults(document)) faults.push_back(std::move(fault));
  report(faults);
  QVERIFY(faults.empty());
  // Read as a configuration, both say what was asked for.
  for (const std::string& text : {compose->text, objects->text}) {
    const auto command = read_config(text, nullptr);
    QVERIFY(command.ok());
    QCOMPARE(command->engine->name, engine);
    const auto reading = read_engine_settings(*command);
    QVERIFY(reading.ok());
    QVERIFY(reading->unmatched.empty());
    const Deployment read = deployment_of(reading->settings, *reading->engine, memory_terms_of(*plan));
    QCOMPARE(command->gpus, read.gpus);
    QCOMPARE(read.tensor_parallel, deployment.tensor_parallel);
    QVERIFY(read.max_model_len == deployment.max_model_len);
    QCOMPARE(read.kv_cache_dtype, deployment.kv_cache_dtype);
  }
}

void ManifestTest::names_and_texts_are_safe() {
  EngineSettings odd = settings();
  odd.values["model"] = "it's: \"a\" #model\n- x";
  ManifestOptions options = kOptions;
  options.name = "My Model!! (70B)";
  const auto file = kubernetes_manifest(write_flags(**find_engine("vllm"), odd, std::nullopt), options);
  const auto deployment = yaml_documents(file->text)[1];
  QVERIFY(kubernetes_faults(deployment).empty());
  QVERIFY(deployment["metadata"]["name"] == "my-model-70b");
  const auto& args = deployment["spec"]["template"]["spec"]["containers"][0]["args"];
  QVERIFY(std::find(args.begin(), args.end(), odd.values["model"]) != args.end());
  for (const auto& [asked, name] : {std::pair{"null", "engine-null"}, std::pair{"Yes", "engine-yes"},
                                    std::pair{"1e3", "engine-1e3"}, std::pair{"模型", "engine"}}) {
    options.name = asked;  // each a text in YAML, and a name of Kubernetes
    const auto named =
        kubernetes_manifest(write_flags(**find_engine("vllm"), settings(), std::nullopt), options);
    QVERIFY2(yaml_documents(named->text)[1]["metadata"]["name"] == name, asked);
  }
}

/// Compose replaces $X, Kubernetes $(X), both take $$ for $: what a value holds is escaped, and read back.
void ManifestTest::dollars_are_no_variables() {
  const std::string text = "{% if a %} $HOME ${X} $(Y) $$(Z)";
  const auto words = read_command(Words{"vllm", "serve", "a/b", "--chat-template", text}, nullptr);
  QVERIFY(words.ok());
  const auto reading = read_engine_settings(*words);
  QVERIFY(reading.ok());
  const WrittenFlags written = translate(*reading, **find_engine("vllm"), std::nullopt);
  for (const auto& file : {compose_file(written, {}), kubernetes_manifest(written, {})}) {
    QVERIFY(file.ok());
    QVERIFY2(file->text.find(" $$HOME $${X} $$(Y) $$$$(Z)") != std::string::npos, file->text.c_str());
    const auto back = read_config(file->text, nullptr);
    QVERIFY(back.ok());
    QVERIFY(std::find(back->arguments.begin(), back->arguments.end(), text) != back->arguments.end());
  }
}

void ManifestTest::folders_are_mounted() {
  EngineSettings local = settings();
  local.values["model"] = "/models/one";
  WrittenFlags written = write_flags(**find_engine("vllm"), local, std::nullopt);
  const Words read = {"--lora-modules", "a=/adapters/a", "b=/models/one/b", "c=org/c",
                      "--root-path",    "/api",          "--chat-template", "/etc/chat.jinja"};
  written.arguments.insert(written.arguments.end(), read.begin(), read.end());
  const auto compose = compose_file(written, kOptions);
  QVERIFY(compose.ok());
  const auto service = yaml_documents(compose->text).front()["services"]["vllm"];
  std::vector<std::string> mounted;
  for (const auto& volume : service["volumes"]) {
    mounted.push_back(volume["source"].get<std::string>() + " " + volume["target"].get<std::string>());
    QCOMPARE(volume["type"] == "bind", volume.value("read_only", false));
  }
  QCOMPARE(mounted, (std::vector<std::string>{"weights /root/.cache/huggingface", "/models/one /models/one",
                                              "/adapters/a /adapters/a", "/etc/chat.jinja /etc/chat.jinja"}));
  QVERIFY(compose_faults(yaml_documents(compose->text).front()).empty());
  const auto manifest = kubernetes_manifest(written, kOptions);
  QVERIFY(manifest.ok());
  for (const auto& document : yaml_documents(manifest->text)) {
    report(kubernetes_faults(document));
    QVERIFY(kubernetes_faults(document).empty());
    if (document["kind"] != "Deployment") continue;
    const auto& pod = document["spec"]["template"]["spec"];
    QCOMPARE(pod["volumes"].size(), std::size_t{5});
    QVERIFY(pod["volumes"][2]["hostPath"]["path"] == "/models/one");
    QVERIFY(pod["containers"][0]["volumeMounts"][2]["readOnly"] == true);
    QVERIFY(pod["enableServiceLinks"] == false);  // VLLM_PORT is the engine's own
  }
  for (const auto& file : {compose, manifest})
    QVERIFY(std::any_of(file->notes.begin(), file->notes.end(), [](const std::string& note) {
      return note ==
             "Mounted read-only, and has to be there on each host: /models/one, /adapters/a, /etc/chat.jinja";
    }));
}

/// Names that the short form of a mount, or a container, cannot have: the flags say where they are inside.
void ManifestTest::paths_of_any_kind() {
  EngineSettings local = settings();
  local.values["model"] = "./my models/one:2";
  WrittenFlags written = write_flags(**find_engine("vllm"), local, std::nullopt);
  const Words read = {"--tokenizer",           "/a b/tok",
                      "--chat-template",       "C:\\chat\\x.jinja",
                      "--lora-modules",        "a=../lora/a",
                      "b=./my models/one:2/b", "c=$HOME/c",
                      "--speculative-config",  R"({"method":"draft_model","model":"/drafts/x:1"})"};
  written.arguments.insert(written.arguments.end(), read.begin(), read.end());
  const auto compose = compose_file(written, kOptions);
  const auto manifest = kubernetes_manifest(written, kOptions);
  QVERIFY(compose.ok() && manifest.ok());
  const auto file = yaml_documents(compose->text).front();
  report(compose_faults(file));
  QVERIFY(compose_faults(file).empty());
  const auto& service = file["services"]["vllm"];
  const auto deployment = yaml_documents(manifest->text)[1];
  report(kubernetes_faults(deployment));
  QVERIFY(kubernetes_faults(deployment).empty());
  const auto& pod = deployment["spec"]["template"]["spec"];
  for (const nlohmann::json& words : {service["command"], pod["containers"][0]["args"]}) {
    for (const char* word : {"/mnt/1/one-2", "/a b/tok", "/mnt/3/x.jinja", "a=/mnt/4/a", "b=/mnt/1/one-2/b",
                             "c=/mnt/5/c", R"({"method":"draft_model","model":"/mnt/6/x-1"})"})
      QVERIFY2(std::find(words.begin(), words.end(), word) != words.end(), (word + words.dump()).c_str());
  }
  const std::vector<std::string> sources = {"./my models/one:2", "/a b/tok", "C:\\chat\\x.jinja",
                                            "../lora/a",         "$HOME/c",  "/drafts/x:1"};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    QVERIFY(service["volumes"][i + 1]["source"] == sources[i]);
    // Kubernetes takes absolute paths: the others are to be put where the container has them.
    const auto& host = pod["volumes"][i + 2]["hostPath"]["path"];
    const auto& inside = pod["containers"][0]["volumeMounts"][i + 2]["mountPath"];
    QVERIFY2(host == (sources[i].starts_with('/') ? nlohmann::json(sources[i]) : inside),
             host.dump().c_str());
    QVERIFY(inside.get<std::string>().find(':') == std::string::npos);
  }
  QVERIFY(std::any_of(manifest->notes.begin(), manifest->notes.end(), [](const std::string& note) {
    return note.find("put on each host ./my models/one:2 to /mnt/1/one-2, C:\\chat") != std::string::npos;
  }));
  // Repositories, addresses and texts are no paths.
  for (const char* name : {"org/model", "s3://bucket/model", "auto", "{{ a }}/{% b %}.json"}) {
    local.values["model"] = name;
    const auto plain = compose_file(write_flags(**find_engine("vllm"), local, std::nullopt), kOptions);
    QCOMPARE(yaml_documents(plain->text).front()["services"]["vllm"]["volumes"].size(), std::size_t{1});
  }
}

/// Compose fills in the host's variables, Kubernetes does not; what became of them is said.
void ManifestTest::references_stay() {
  const auto words = read_command("vllm serve $MODEL --served-model-name ${NAME} --max-num-seqs 8", nullptr);
  const auto reading = read_engine_settings(*words);
  QVERIFY(reading.ok());
  const WrittenFlags written = translate(*reading, **find_engine("sglang"), std::nullopt);
  QVERIFY(command_text(written).find("--model-path \"$MODEL\" --served-model-name \"${NAME}\"") !=
          std::string::npos);
  const auto compose = compose_file(written, {});
  QVERIFY(compose->text.find("- \"$MODEL\"\n") != std::string::npos);
  QCOMPARE(compose->notes.back(),
           std::string("The command holds variables; put them there too: MODEL, NAME"));
  const auto manifest = kubernetes_manifest(written, {});
  QVERIFY(manifest->text.find("- \"$$MODEL\"\n") != std::string::npos);
  QVERIFY(std::find(manifest->notes.begin(), manifest->notes.end(),
                    "Kubernetes fills in no variables of a shell; write the values of MODEL, NAME") !=
          manifest->notes.end());
}

/// A container gets the GPUs of its own flags; replicas that an engine runs itself are not started again.
void ManifestTest::gpus_are_those_of_the_flags_data() {
  QTest::addColumn<std::string>("engine");
  QTest::addColumn<int>("gpus");
  QTest::addColumn<int>("replicas");
  QTest::newRow("vLLM") << std::string("vllm") << 12 << 1;
  QTest::newRow("no stages, no replicas") << std::string("tgi") << 2 << 3;
}

void ManifestTest::gpus_are_those_of_the_flags() {
  QFETCH(std::string, engine);
  QFETCH(int, gpus);
  QFETCH(int, replicas);
  EngineSettings asked = settings();
  asked.values["tensor-parallel-size"] = "2";
  asked.values["pipeline-parallel-size"] = "2";
  asked.values["data-parallel-size"] = "3";
  const WrittenFlags written = write_flags(**find_engine(engine), asked, std::nullopt);
  const ManifestOptions options{.replicas = 3};
  const auto deployment = yaml_documents(kubernetes_manifest(written, options)->text)[1];
  const auto& container = deployment["spec"]["template"]["spec"]["containers"][0];
  QVERIFY(container["resources"]["limits"]["nvidia.com/gpu"] == gpus);
  QVERIFY(deployment["spec"]["replicas"] == replicas);
  const auto compose = compose_file(written, options);
  const auto service = yaml_documents(compose->text).front()["services"][engine];
  QVERIFY(service["deploy"]["resources"]["reservations"]["devices"][0]["count"] == gpus);
  QCOMPARE(compose->notes.back() == "Compose runs one of the 3 replicas", replicas == 3);
}

/// vLLM's page on environment variables: a Service called vllm gives every pod a VLLM_PORT that stops it.
void ManifestTest::services_are_not_called_like_the_engine() {
  const WrittenFlags written = write_flags(**find_engine("vllm"), settings(), std::nullopt);
  const auto named = [&](const char* name) {
    ManifestOptions options = kOptions;
    options.name = name;
    return kubernetes_manifest(written, options);
  };
  const auto warns = [](const Result<Manifest>& manifest) {
    return std::any_of(manifest->notes.begin(), manifest->notes.end(), [](const std::string& note) {
      return note.starts_with("A Service named vllm sets variables of the engine");
    });
  };
  const auto usual = named("");
  QVERIFY(yaml_documents(usual->text)[2]["metadata"]["name"] == "vllm-server");
  QVERIFY(!warns(usual) && !warns(named("chat")));
  QVERIFY(warns(named("vllm")));
}

void ManifestTest::others_have_none() {
  const auto file = compose_file(write_flags(**find_engine("llama.cpp"), settings(), std::nullopt), kOptions);
  QVERIFY(!file.ok());
  QVERIFY(file.error().text().find("sglang, tgi, vllm") != std::string::npos);
}

void ManifestTest::the_checks_find_faults() {
  const auto faults = [](std::string text, const char* from, const char* to) {
    const std::size_t at = text.find(from);
    text.replace(at, std::string(from).size(), to);
    std::size_t count = 0;
    for (const auto& document : yaml_documents(text)) count += kubernetes_faults(document).size();
    return count;
  };
  const auto file =
      kubernetes_manifest(write_flags(**find_engine("vllm"), settings(), std::nullopt), kOptions);
  QCOMPARE(faults(file->text, "vllm", "vllm"), std::size_t{0});
  QVERIFY(faults(file->text, "containerPort: 9000", "containerPort: \"9000\"") > 0);
  QVERIFY(faults(file->text, "replicas:", "replica:") > 0);
  QVERIFY(faults(file->text, "name: shared-memory", "name: shared") > 0);
  QVERIFY(faults(file->text, "sizeLimit: 8Gi", "sizeLimit: 8GiB") > 0);
  QVERIFY(faults(file->text, "      labels:\n        app: vllm", "      labels:\n        app: other") > 0);
  QVERIFY(faults(file->text, "port: http", "port: web") > 0);
}

QTEST_APPLESS_MAIN(ManifestTest)
#include "manifest_test.moc"
