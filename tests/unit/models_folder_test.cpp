// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "engine/base/file.h"
#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "tests/support/gguf_writer.h"
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
  void hub_cache_is_read_through_its_links();
  void loops_and_dangling_links_survive();
  void links_that_lead_outside_say_so();
  void sets_of_files_are_one_model();
  void odd_names_stay_exact_data();
  void odd_names_stay_exact();
  void scanning_writes_nothing();
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

void ModelsFolderTest::hub_cache_is_read_through_its_links() {
  const test::TemporaryFolder hub;
  const fs::path repo = hub.path() / "models--org--repo", snapshot = repo / "snapshots/0a1b";
  put(repo / "blobs/one", "12345");
  put(repo / "blobs/two", "{}");
  put(repo / "refs/main", "0a1b");
  fs::create_directories(snapshot / "q4");
  fs::create_symlink("../../../blobs/one", snapshot / "q4/m.gguf");
  fs::create_symlink("../../blobs/one", snapshot / "model.safetensors");
  fs::create_symlink("../../blobs/two", snapshot / "config.json");
  const auto models = scan_models({hub.path()});
  QCOMPARE(models.size(), std::size_t{2});
  QCOMPARE(models[0].name, "m");
  QCOMPARE(models[0].path, snapshot / "q4/m.gguf");
  QCOMPARE(models[1].name, "repo");
  for (const ModelEntry& model : models) {
    QCOMPARE(model.bytes, 5);
    QVERIFY(model.outside.empty());
    QVERIFY(model.problem.empty());
  }
}

void ModelsFolderTest::loops_and_dangling_links_survive() {
  const test::TemporaryFolder folder;
  put(folder.path() / "a/one.gguf", "1");
  fs::create_directory_symlink("..", folder.path() / "a/up");
  fs::create_directory_symlink(folder.path(), folder.path() / "all");
  fs::create_symlink("self.gguf", folder.path() / "self.gguf");
  fs::create_symlink("nowhere/x", folder.path() / "gone.gguf");
  put(folder.path() / "b/config.json", "{}");
  put(folder.path() / "b/model-1.safetensors", "123");
  fs::create_symlink("../blobs/y", folder.path() / "b/model-2.safetensors");
  const auto models = scan_models({folder.path(), folder.path()});
  QCOMPARE(models.size(), std::size_t{4});
  QCOMPARE(models[0].name, "b");
  QCOMPARE(models[0].bytes, 3);
  QCOMPARE(models[0].problem, "model-2.safetensors leads to ../blobs/y, which is missing");
  QCOMPARE(models[1].name, "gone");
  QCOMPARE(models[1].problem, "gone.gguf leads to nowhere/x, which is missing");
  QCOMPARE(models[2].name, "one");
  QVERIFY(models[2].problem.empty());
  QCOMPARE(models[3].name, "self");
  QVERIFY(!models[3].problem.empty());
}

void ModelsFolderTest::links_that_lead_outside_say_so() {
  const test::TemporaryFolder folder, elsewhere;
  const fs::path real = fs::canonical(elsewhere.path());
  put(elsewhere.path() / "x.gguf", "123");
  put(elsewhere.path() / "model/config.json", "{}");
  put(elsewhere.path() / "model/w.safetensors", "12");
  put(elsewhere.path() / "model/deeper/y.gguf", "1");
  fs::create_symlink(elsewhere.path() / "x.gguf", folder.path() / "x.gguf");
  fs::create_directory_symlink(elsewhere.path() / "model", folder.path() / "m");
  const auto models = scan_models({folder.path()});
  QCOMPARE(models.size(), std::size_t{2});
  QCOMPARE(models[0].name, "m");
  QCOMPARE(models[0].outside, real / "model");
  QCOMPARE(models[1].name, "x");
  QCOMPARE(models[1].bytes, 3);
  QCOMPARE(models[1].outside, real / "x.gguf");
  for (const ModelEntry& model : scan_models({folder.path(), elsewhere.path()})) {
    QVERIFY2(model.outside.empty(), model.path.c_str());
  }
}

void ModelsFolderTest::sets_of_files_are_one_model() {
  const test::TemporaryFolder folder;
  put(folder.path() / "big-00001-of-00002.gguf", "123");
  put(folder.path() / "big-00002-of-00002.gguf", "45");
  put(folder.path() / "cut-00001-of-00003.gguf", "1");
  put(folder.path() / "cut-00003-of-00003.gguf", "1");
  put(folder.path() / "odd-00009-of-00003.gguf", "1");
  const auto models = scan_models({folder.path()});
  QCOMPARE(models.size(), std::size_t{3});
  QCOMPARE(models[0].name, "big");
  QCOMPARE(models[0].path, folder.path() / "big-00001-of-00002.gguf");
  QCOMPARE(models[0].bytes, 5);
  QVERIFY(models[0].problem.empty());
  QCOMPARE(models[1].name, "cut");
  QCOMPARE(models[1].problem, "cut-00002-of-00003.gguf is missing");
  QCOMPARE(models[2].name, "odd-00009-of-00003");
}

void ModelsFolderTest::odd_names_stay_exact_data() {
  QTest::addColumn<QByteArray>("place");
  QTest::newRow("chinese, emoji, percent") << QByteArray("模型/é ñ 😀/%20#");
  QTest::newRow("trailing space") << QByteArray("space /a ");
  QTest::newRow("quotes") << QByteArray("it's; \"so\" & $HOME/`x`");
  QTest::newRow("long") << QByteArray(200, 'l') + "/" + QByteArray(200, 'm');
  QTest::newRow("new line") << QByteArray("two\nlines");
}

void ModelsFolderTest::odd_names_stay_exact() {
  QFETCH(QByteArray, place);
  const test::TemporaryFolder folder;
  const fs::path model = folder.path() / place.toStdString() / "mo del 模型.gguf";
  fs::create_directories(model.parent_path());
  test::tiny_llama().save(model);
  const auto models = scan_models({folder.path()});
  QCOMPARE(models.size(), std::size_t{1});
  QCOMPARE(models[0].path, model);
  QCOMPARE(models[0].name, "mo del 模型");
  QCOMPARE(resolve_model(model.string()).value(), model);
  PW_VERIFY(find_model_spec(model.string()));
}

void ModelsFolderTest::scanning_writes_nothing() {
  const test::TemporaryFolder folder;
  const fs::path model = folder.path() / "models/m.gguf";
  fs::create_directories(model.parent_path());
  test::tiny_llama().save(model);
  fs::permissions(model.parent_path(), fs::perms::owner_read | fs::perms::owner_exec);
  const auto before = fs::last_write_time(model.parent_path());
  QCOMPARE(scan_models({model.parent_path()}).size(), std::size_t{1});
  PW_VERIFY(find_model_spec(model.string()));
  QCOMPARE(fs::last_write_time(model.parent_path()), before);
  QCOMPARE(std::distance(fs::directory_iterator(model.parent_path()), fs::directory_iterator()), 1);
  fs::permissions(model.parent_path(), fs::perms::owner_all);
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
    QVERIFY(profile->fetchable() || !profile->config.empty());
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
  QVERIFY2(unknown.error().text().find("llama-3-8b, llama-3.1-405b") != std::string::npos,
           unknown.error().text().c_str());
}

QTEST_APPLESS_MAIN(ModelsFolderTest)
#include "models_folder_test.moc"
