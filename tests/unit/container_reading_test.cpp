// SPDX-License-Identifier: GPL-3.0-or-later
// Compose files and manifests as engines' documents and people write them: what is read, and what is said.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"

using namespace pitwall;

namespace {

using Values = std::map<std::string, std::string, std::less<>>;
using Texts = std::vector<std::string>;

struct Row {
  std::string text, engine;
  int gpus = 0;
  Values values;  // all of them, but for defaults that a host and port are
  Texts notes;    // parts of the notes, each of one
};

std::string all_of(const EngineReading& reading) {
  std::string all;
  for (const std::string& note : reading.notes) all += note + "\n";
  for (const UnmatchedFlag& flag : reading.unmatched) {
    for (const std::string& word : flag.words) all += word + " ";
  }
  return all;
}

const char* kMerged = R"(
x-engine: &engine
  image: vllm/vllm-openai:${TAG:-v0.11.0}
  environment: &variables
    HF_TOKEN: ${HF_TOKEN}
    VLLM_LOGGING_LEVEL: DEBUG
  deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}}
  ports: ["8000:8000"]
services:
  chat:
    <<: *engine
    environment:
      <<: *variables
      VLLM_LOGGING_LEVEL: INFO
    command: >
      --model ${MODEL:-Qwen/Qwen2.5-7B-Instruct}
      --tensor-parallel-size ${TP:-2} --max-model-len 8192
  embed:
    <<: [*engine]
    profiles: [all]
    command: --model BAAI/bge-m3
  web:
    image: ghcr.io/open-webui/open-webui
)";

// docker/compose.yaml of SGLang.
const char* kSglangCompose = R"(
services:
  sglang:
    image: lmsysorg/sglang:latest
    container_name: sglang
    volumes:
      - ${HOME}/.cache/huggingface:/root/.cache/huggingface
    restart: always
    network_mode: host
    environment:
      - HF_TOKEN=<secret>
    entrypoint: python3 -m sglang.launch_server
    command: --model-path meta-llama/Llama-3.1-8B-Instruct
      --host 0.0.0.0
      --port 30000
    ulimits: {memlock: -1}
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              device_ids: ["0"]
              capabilities: [gpu]
)";

const char* kTgiCompose = R"(
services:
  tgi:
    image: ghcr.io/huggingface/text-generation-inference:3.3.5
    gpus: [{count: 2}]
    env_file: [.env, {path: more.env}]
    environment:
      - MODEL_ID=${MODEL_ID:-meta-llama/Llama-3.1-8B}
      - NUM_SHARD=2
      - HF_TOKEN
    extends: {file: base.yaml, service: tgi}
    scale: 3
)";

const char* kBuilt = R"(
services:
  engine:
    build: .
    command: ["bash", "-c", "vllm serve $$MODEL --max-model-len 4096 $$EXTRA"]
    environment: {MODEL: org/model, EXTRA: "--max-num-seqs 8 --served-model-name 'a'"}
    deploy: {replicas: 1}
  db: {image: postgres}
include: [other.yaml]
)";

// docs/deployment/k8s.md of vLLM, with a sidecar before the engine.
const char* kDeployment = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {length: "8192"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: mistral-7b}
spec:
  replicas: 3
  template:
    spec:
      initContainers:
      - name: fetch
        image: python:3
        command: ["sh", "-c", "pip install hf && hf download x"]
      containers:
      - name: proxy
        image: nginx:1.25
        args: ["--port", "80"]
      - name: engine
        image: vllm/vllm-openai:latest
        command: ["/bin/sh", "-c"]
        args: [
          "vllm serve $MODEL --trust-remote-code --enable-chunked-prefill --max_num_batched_tokens 1024
           --max-model-len $(LENGTH) --api-key $KEY"
        ]
        env:
        - {name: ORG, value: mistralai}
        - {name: MODEL, value: "$(ORG)/Mistral-7B-Instruct-v0.3"}
        - {name: LENGTH, valueFrom: {configMapKeyRef: {name: settings, key: length}}}
        - {name: KEY, valueFrom: {secretKeyRef: {name: keys, key: api}}}
        - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: keys, key: token}}}
        ports:
        - containerPort: 8000
        resources:
          limits: {cpu: "10", memory: 20G, nvidia.com/gpu: "1"}
          requests: {cpu: "2", memory: 6G, nvidia.com/gpu: "1"}
)";

const char* kStatefulSet = R"(
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: sglang}
  spec:
    template:
      spec:
        containers:
        - name: sglang-container
          image: docker.io/lmsysorg/sglang:latest
          command: ["/bin/bash", "-c"]
          args:
          - |
            python3 -m sglang.launch_server \
            --model-path /llm-folder \
            --dist-init-addr sglang-0.sglang:5000 \
            --tensor-parallel-size 16 \
            --nnodes 2 \
            --node-rank $POD_INDEX \
            --host 0.0.0.0
          env:
          - {name: POD_INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']"}}}
          envFrom:
          - configMapRef: {name: elsewhere}
          - secretRef: {name: keys}
          resources: {requests: {nvidia.com/gpu: 8}}
)";

// docs/deployment/frameworks/lws.md of vLLM.
const char* kGroups = R"(
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: vllm}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
          - name: vllm-leader
            image: docker.io/vllm/vllm-openai:latest
            env: [{name: HF_TOKEN, value: <your-hf-token>}]
            command:
              - sh
              - -c
              - "bash /vllm-workspace/multi-node-serving.sh leader --ray_cluster_size=$(LWS_GROUP_SIZE);
                 python3 -m vllm.entrypoints.openai.api_server --port 8080 --model meta-llama/Meta-Llama-3.1-405B-Instruct --tensor-parallel-size 8 --pipeline_parallel_size 2"
            resources: {limits: {nvidia.com/gpu: "8"}}
    workerTemplate:
      spec:
        containers:
          - name: vllm-worker
            image: docker.io/vllm/vllm-openai:latest
            command: [sh, -c, "bash /vllm-workspace/multi-node-serving.sh worker"]
            resources: {limits: {nvidia.com/gpu: "8"}}
)";

const char* kTgiPod = R"(
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
          - name: tgi
            image: us-docker.pkg.dev/deeplearning-platform-release/gcr.io/huggingface-text-generation-inference-cu124
            args: --model-id $(MODEL_ID) --max-total-tokens 4096
            env: [{name: MODEL_ID, value: google/gemma-2-2b-it}]
            resources: {limits: {nvidia.com/mig-3g.40gb: 1}}
)";

}  // namespace

class ContainerReadingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void files_data();
  void files();
  void from_decides();
  void routers_and_joined_words();
  void variables_of_a_script();
  void guesses_are_said();
  void the_first_document();
  void what_cannot_be_read_data();
  void what_cannot_be_read();
};

void ContainerReadingTest::files_data() {
  QTest::addColumn<Row>("row");
  const auto row = [](const char* name, Row row) { QTest::newRow(name) << std::move(row); };
  row("merged parts and defaults",
      {kMerged,
       "vllm",
       2,
       {{"model", "Qwen/Qwen2.5-7B-Instruct"}, {"tensor-parallel-size", "2"}, {"max-model-len", "8192"}},
       {"Their defaults in the text were taken: MODEL, TAG, TP", "VLLM_LOGGING_LEVEL=INFO",
        "Only service chat was read, not service embed (vLLM), service web (ghcr.io/open-webui/open-webui)",
        "Of service chat this was not read: ports 8000:8000"}});
  row("SGLang's compose file",
      {kSglangCompose,
       "sglang",
       1,
       {{"model", "meta-llama/Llama-3.1-8B-Instruct"}, {"host", "0.0.0.0"}, {"port", "30000"}},
       {"this was not read: container_name, volumes ${HOME}/.cache/huggingface:/root/.cache/huggingface, "
        "restart, network_mode, ulimits"}});
  row("variables alone, and what is elsewhere",
      {kTgiCompose,
       "tgi",
       2,
       {{"model", "meta-llama/Llama-3.1-8B"}, {"tensor-parallel-size", "2"}},
       {"The variables in .env, more.env were not read", "service tgi extends another",
        "service tgi runs 3 times", "defaults in the text were taken: MODEL_ID",
        "environment, they mean the same"}});
  row("an image of its own, a shell and its variables",
      {kBuilt,
       "vllm",
       0,
       {{"model", "org/model"},
        {"max-model-len", "4096"},
        {"max-num-seqs", "8"},
        {"served-model-name", "'a'"}},
       {"not service db (postgres)", "this was not read: build", "files that it includes were not read"}});
  row("vLLM's Deployment behind a sidecar",
      {kDeployment,
       "vllm",
       1,
       {{"model", "mistralai/Mistral-7B-Instruct-v0.3"},
        {"max-num-batched-tokens", "1024"},
        {"enable-chunked-prefill", "true"},
        {"max-model-len", "8192"},
        {"api-key", "(set)"}},
       {"Only container engine of Deployment mistral-7b was read, not container proxy of Deployment "
        "mistral-7b "
        "(nginx:1.25), container fetch of Deployment mistral-7b (python:3)",
        "Deployment mistral-7b runs 3 times; these are the settings of one", "this was not read: ports"}});
  row("SGLang's StatefulSet in a List",
      {kStatefulSet,
       "sglang",
       8,
       {{"model", "/llm-folder"},
        {"tensor-parallel-size", "16"},
        {"nodes", "2"},
        {"node-rank", "${POD_INDEX}"},
        {"first-node-address", "sglang-0.sglang:5000"},
        {"host", "0.0.0.0"}},
       {"The variables in ConfigMap elsewhere were not read", "The variables in Secret keys were not read"}});
  row("vLLM's groups of pods",
      {kGroups,
       "vllm",
       16,
       {{"model", "meta-llama/Meta-Llama-3.1-405B-Instruct"},
        {"port", "8080"},
        {"tensor-parallel-size", "8"},
        {"pipeline-parallel-size", "2"}},
       {"LeaderWorkerSet vllm joins 2 pods", "not container vllm-worker of LeaderWorkerSet vllm (vLLM)",
        "Their values are not in the file: LWS_GROUP_SIZE"}});
  row("TGI in a job, arguments as one text", {kTgiPod,
                                              "tgi",
                                              0,
                                              {{"model", "google/gemma-2-2b-it"}, {"max-model-len", "4096"}},
                                              {"nvidia.com/mig-3g.40gb 1 is a part of a GPU"}});
  row("no GPUs are said",
      {"services:\n  a:\n    image: vllm/vllm-openai\n    command: --model M\n    deploy: {mode: global}\n",
       "vllm",
       0,
       {{"model", "M"}},
       {}});
}

void ContainerReadingTest::files() {
  QFETCH(Row, row);
  const auto command = read_config(row.text, nullptr);
  QVERIFY2(command.ok(), command.ok() ? "" : command.error().text().c_str());
  const auto reading = read_engine_settings(*command);
  QVERIFY2(reading.ok(), reading.ok() ? "" : reading.error().text().c_str());
  QCOMPARE(reading->engine->name, row.engine);
  QCOMPARE(reading->gpus, row.gpus);
  for (const auto& [name, value] : reading->settings.values)
    QCOMPARE(name + " " + value, name + " " + row.values[name]);
  QCOMPARE(reading->settings.values.size(), row.values.size());
  const std::string said = all_of(*reading);
  for (const std::string& part : row.notes)
    QVERIFY2(said.find(part) != std::string::npos, (part + "\nis not in\n" + said).c_str());
  // What was put in place is not said again.
  for (const char* filled : {"MODEL=", "ORG=", "LENGTH="})
    QVERIFY2(said.find(filled) == std::string::npos, said.c_str());
}

/// Of two engines in a file --from takes its own; an image that nobody knows is taken for its GPUs.
void ContainerReadingTest::from_decides() {
  const std::string two =
      "services:\n  a: {image: vllm/vllm-openai, command: --model A}\n"
      "  b: {image: lmsysorg/sglang, command: python3 -m sglang.launch_server --model-path B}\n";
  for (const auto& [from, model] : {std::pair{"vllm", "A"}, std::pair{"sglang", "B"}}) {
    const auto command = read_config(two, *find_engine(from));
    QVERIFY(command.ok());
    QCOMPARE(command->arguments.back(), std::string(model));
  }
  const auto own = read_config(
      "kind: Pod\nspec:\n  containers:\n  - {name: log, image: fluentd}\n  - {name: llm, image: mine/llm, "
      "args: "
      "[--model, M, --max-num-seqs, '8'], resources: {limits: {nvidia.com/gpu: 1}}}\n",
      *find_engine("vllm"));
  QVERIFY2(own.ok(), own.ok() ? "" : own.error().text().c_str());
  QCOMPARE(own->arguments, (Words{"--model", "M", "--max-num-seqs", "8"}));
  const auto inherited = read_config(
      "services:\n  a: {extends: {file: b.yaml, service: b}, command: --model M}\n", *find_engine("vllm"));
  QVERIFY2(inherited.ok(), inherited.ok() ? "" : inherited.error().text().c_str());
  QCOMPARE(inherited->notes.front(),
           std::string("service a extends another, and what it takes from there was not read"));
}

/// A router of the same image is not the engine; a flag and its value in one member of a list are told apart.
void ContainerReadingTest::routers_and_joined_words() {
  const auto command = read_config(
      "kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
      "  - {name: router, image: 'lmsysorg/sglang', command: [python, -m, sglang_router.launch_router], "
      "args: [--port, "
      "'1']}\n"
      "  - {name: worker, image: 'lmsysorg/sglang', args: [--model-path org/m, '--tp=2', --api-key "
      "sk-secret]}\n",
      nullptr);
  QVERIFY2(command.ok(), command.ok() ? "" : command.error().text().c_str());
  QCOMPARE(command->arguments, (Words{"--model-path", "org/m", "--tp=2", "--api-key", "sk-secret"}));
  std::string notes;
  for (const std::string& note : command->notes) notes += note + "\n";
  QVERIFY2(notes.find("--model-path is written with its value as one word") != std::string::npos,
           notes.c_str());
  QVERIFY2(notes.find("not container router of Pod p (SGLang)") != std::string::npos, notes.c_str());
  QVERIFY(notes.find("sk-secret") == std::string::npos);
}

/// As start scripts have them: assigned before, with defaults, several flags in one.
void ContainerReadingTest::variables_of_a_script() {
  const auto command = read_command(
      "#!/bin/bash\nset -e\nexport ORG=Qwen\nMODEL=\"${1:-$ORG/Qwen3-8B}\"\nARGS=\"--max-num-seqs 8 -tp "
      "${TP:-2}\"\n"
      "docker run --gpus 2 --read-only -e HF_TOKEN -e MODE=fast --env-file .env vllm/vllm-openai:v0.11.0 \\\n"
      "  --model \"$MODEL\" $ARGS --served-model-name $NAME\n",
      nullptr);
  QVERIFY2(command.ok(), command.ok() ? "" : command.error().text().c_str());
  QCOMPARE(command->arguments, (Words{"--model", "Qwen/Qwen3-8B", "--max-num-seqs", "8", "-tp", "2",
                                      "--served-model-name", "$NAME"}));
  QCOMPARE(command->environment, (std::vector<NamedText>{{"HF_TOKEN", "${HF_TOKEN}"}, {"MODE", "fast"}}));
  QCOMPARE(command->gpus, 2);
  std::string notes;
  for (const std::string& note : command->notes) notes += note + "\n";
  QVERIFY2(notes.find("docker run had them: --env-file .env") != std::string::npos, notes.c_str());
  QVERIFY2(notes.find("Their defaults in the text were taken: 1, TP") != std::string::npos, notes.c_str());
  // A container has variables of its own; a shell in a shell without end is refused.
  const auto inside =
      read_command("M=outside; docker run -e M=inside vllm/vllm-openai sh -c 'vllm serve $M'", nullptr);
  QCOMPARE(inside->arguments, (Words{"inside"}));
  const auto endless = read_command("A='sh -c \"$A\" vllm serve'; sh -c \"$A\" vllm serve", nullptr);
  QVERIFY(!endless.ok() || !endless->arguments.empty());
}

/// Keys that several engines have: the one whose own words they are, and where that says nothing, a guess.
void ContainerReadingTest::guesses_are_said() {
  const auto own = read_config(
      "model: a/b\ntrust-remote-code: false\nenable-lora: true\nserved-model-name: [a, b]\n", nullptr);
  QCOMPARE(own->engine->name, std::string("vllm"));
  QCOMPARE(own->notes.front(), std::string("Read as a configuration of vLLM"));
  const auto guess = read_config("port: 8000\nhost: 0.0.0.0\n", nullptr);
  QVERIFY(guess.ok());
  QVERIFY2(guess->notes.front().find(", which is a guess: ") != std::string::npos &&
               guess->notes.front().ends_with("would take its keys as well, and --from decides"),
           guess->notes.front().c_str());
}

void ContainerReadingTest::the_first_document() {
  const auto two = read_config("---\n---\nx: &x {max-num-seqs: 8}\n<<: *x\nmodel: M\n---\nmodel: N\n",
                               *find_engine("vllm"));
  QVERIFY(two.ok());
  QCOMPARE(two->notes, (Texts{"The file holds 2 documents, and one was read"}));
  const std::vector<NamedText> config = {{"x.max-num-seqs", "8"}, {"model", "M"}, {"max-num-seqs", "8"}};
  QCOMPARE(two->config, config);
}

void ContainerReadingTest::what_cannot_be_read_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("said");
  const auto row = [](const char* name, std::string text, const char* said) {
    QTest::newRow(name) << std::move(text) << std::string(said);
  };
  row("a Helm template", "image: {{ .Values.image }}\n", "template of Helm");
  row("another template", "image: {{ image }}\nmodel: {{ model }}\n", "fill in what stands in {{ }}");
  row("no containers", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: []}\n",
      "no container that runs a known engine");
  row("containers of others",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: nginx}, {name: "
      "b, "
      "image: redis}]}\n",
      "It has container a of Pod p (nginx), container b of Pod p (redis)");
  row("open quotes", "services:\n  a:\n    image: vllm/vllm-openai\n    command: --model 'M\n",
      "The quote that begins at \"'M\" never closes");
  row("merges itself", "services: &s\n  <<: *s\n", "merges too many values, or itself");
  row("a pod in a pod", "kind: Pod\nspec: &s\n  a: *s\n  containers: [{image: x}]\n",
      "holds too many values, or itself");
}

void ContainerReadingTest::what_cannot_be_read() {
  QFETCH(std::string, text);
  QFETCH(std::string, said);
  const auto command = read_config(text, nullptr);
  QVERIFY(!command.ok());
  QVERIFY2(command.error().text().find(said) != std::string::npos, command.error().text().c_str());
}

QTEST_APPLESS_MAIN(ContainerReadingTest)
#include "container_reading_test.moc"
