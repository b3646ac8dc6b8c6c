// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "engine/base/file.h"
#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  PW_VERIFY(write_file_atomic(path, content));
}

}  // namespace

class ModelsFolderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { qputenv("PITWALL_HOME", home_.path().c_str()); }
  void cleanupTestCase() { qunsetenv("PITWALL_HOME"); }
  void scan_finds_files_and_folders();
  void names_and_paths_resolve();
  void unknown_model_says_where_it_looked();
  void embedded_profiles_are_sound();
  void bad_profile_names_the_key();
  void shapes_come_from_profiles_and_config_files();

 private:
  test::TemporaryFolder home_;
};

void ModelsFolderTest::scan_finds_files_and_folders() {
  const test::TemporaryFolder folder;
  put(folder.path() / "b.gguf", "12345");
  put(folder.path() / ".c.gguf.part", "1");
  put(folder.path() / "notes.txt", "1");
  put(folder.path() / "a-1.5" / "config.json", "{}");
  put(folder.path() / "a-1.5" / "model-1.safetensors", "123");
  put(folder.path() / "a-1.5" / "model-2.safetensors", "4567");
  put(folder.path() / "weightless" / "config.json", "{}");
  const auto models = scan_models({folder.path() / "missing", folder.path()});
  QCOMPARE(models.size(), std::size_t{2});
  QCOMPARE(models[0].name, "a-1.5");
  QCOMPARE(models[0].bytes, 7);
  QCOMPARE(models[1].name, "b");
  QCOMPARE(models[1].bytes, 5);
  QCOMPARE(models[1].path, folder.path() / "b.gguf");
}

void ModelsFolderTest::names_and_paths_resolve() {
  const fs::path starter = default_models_folder() / find_model_profile("smollm2")->file;
  put(starter, "weights");
  put(default_models_folder() / "own.gguf", "weights");
  QCOMPARE(resolve_model("smollm2").value(), starter);
  QCOMPARE(resolve_model("own").value(), default_models_folder() / "own.gguf");
  QCOMPARE(resolve_model(starter.string()).value(), starter);
  fs::remove_all(default_models_folder());
}

void ModelsFolderTest::unknown_model_says_where_it_looked() {
  const auto unknown = resolve_model("no-such-model");
  QVERIFY(!unknown.ok());
  QCOMPARE(unknown.error().kind, Error::Kind::not_found);
  QCOMPARE(unknown.error().param, "model");
  QVERIFY(unknown.error().text().find("no-such-model") != std::string::npos);
  QVERIFY(unknown.error().text().find(default_models_folder().string()) != std::string::npos);
  QVERIFY(resolve_model("smollm2").error().text().find("pitwallctl fetch smollm2") != std::string::npos);
  QVERIFY(!resolve_model("").ok());
}

void ModelsFolderTest::embedded_profiles_are_sound() {
  QCOMPARE(fetchable_models(), (std::vector<std::string>{"gemma3-270m", "qwen2.5-coder-0.5b", "smollm2"}));
  for (const auto& file : fs::directory_iterator(fs::path(PITWALL_SOURCE_DIR) / "profiles/models")) {
    const auto profile = parse_model_profile(read_file(file.path()).value());
    PW_VERIFY(profile);
    QCOMPARE(profile->name + ".json", file.path().filename().string());
    QVERIFY(find_model_profile(profile->name) != nullptr);
    QVERIFY(profile->fetchable() || profile->spec);
    if (profile->fetchable()) QCOMPARE(profile->sha256.size(), std::size_t{64});
    QVERIFY(!profile->licence.empty());
  }
}

void ModelsFolderTest::bad_profile_names_the_key() {
  const auto profile = parse_model_profile(R"({"name": "x", "packages": []})");
  QVERIFY(!profile.ok());
  QVERIFY2(profile.error().text().find("title") != std::string::npos, profile.error().text().c_str());
  QVERIFY(!parse_model_profile("").ok());

  std::string text = read_file(fs::path(PITWALL_SOURCE_DIR) / "profiles/models/smollm2.json").value();
  text.replace(text.find("98362432"), 8, "98362433");
  const auto short_of_a_byte = parse_model_profile(text);
  QVERIFY(!short_of_a_byte.ok());
  QVERIFY2(short_of_a_byte.error().text().find("98362433") != std::string::npos,
           short_of_a_byte.error().text().c_str());
}

void ModelsFolderTest::shapes_come_from_profiles_and_config_files() {
  const auto llama = find_model_spec("llama-3.1-8b");
  PW_VERIFY(llama);
  QCOMPARE(llama->name, "llama-3.1-8b");
  QCOMPARE(llama->context_length, 131072);
  QCOMPARE(llama->kv_bytes_per_token(2), Bytes{131072});  // 128 KiB: vllm-project/vllm#6623
  QCOMPARE(find_model_spec("llama-3-8b").value().context_length, 8192);

  const fs::path golden = test::data("golden/llama-gqa");
  const auto folder = find_model_spec(golden.string());
  PW_VERIFY(folder);
  const auto bare = find_model_spec((golden / "config.json").string());
  PW_VERIFY(bare);
  QCOMPARE(bare->layers.size(), folder->layers.size());
  QCOMPARE(bare->kv_bytes_per_token(2), folder->kv_bytes_per_token(2));

  const auto unknown = find_model_spec("llama-4-9b");
  QVERIFY(!unknown.ok());
  QVERIFY2(unknown.error().text().find("llama-3-8b, llama-3.1-8b") != std::string::npos,
           unknown.error().text().c_str());
}

QTEST_APPLESS_MAIN(ModelsFolderTest)
#include "models_folder_test.moc"
