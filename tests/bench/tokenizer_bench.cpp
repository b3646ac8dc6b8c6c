// SPDX-License-Identifier: GPL-3.0-or-later
// Megabytes of text a second that each tokenizer encodes on one core, against the floor of 5 MB/s; and how
// much longer than a quarter of it a megabyte of hostile text takes (4 is linear).
#include <fmt/format.h>
#include <time.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/text/tokenizer.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

namespace fs = std::filesystem;

constexpr double kFloor = 5;
constexpr std::size_t kMegabyte = 1'000'000;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_to_encode(const Tokenizer& tokenizer, std::string_view text) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = thread_seconds();
    tokenizer.encode(text, false, false);
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

/// The files of the source tree that end so.
std::string sources(const char* extension) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PITWALL_SOURCE_DIR) / "engine")) {
    if (entry.path().extension() == extension) text += read_file(entry.path()).value();
  }
  return repeated(text, 4 * kMegabyte);
}

std::string mixed_scripts() {
  std::string text;
  std::ifstream file(test::data("text/gpt2/vectors.jsonl"));
  for (std::string line; std::getline(file, line);)
    text += nlohmann::json::parse(line).at("text").get<std::string>();
  return repeated(text, 4 * kMegabyte);
}

std::string random_bytes() {
  std::string text(kMegabyte, '\0');
  std::uint32_t state = 1;
  for (char& c : text) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<char>(state >> 24);
  }
  return text;
}

void measure(const std::string& name, const fs::path& path) {
  const auto tokenizer = open_tokenizer(path);
  if (!tokenizer.ok()) {
    fmt::print("{:<26}{}\n", name, tokenizer.error().text());
    return;
  }
  static const std::string kEnglish = sources(".md"), kCode = sources(".cpp"), kMixed = mixed_scripts();
  fmt::print("{:<26}", name);
  for (const std::string* text : {&kEnglish, &kCode, &kMixed}) {
    const double rate = static_cast<double>(text->size()) / 1e6 / seconds_to_encode(**tokenizer, *text);
    fmt::print("{:>7.1f} ({:>4.1f}x)", rate, rate / kFloor);
  }
  double slowest = 0, growth = 0;
  for (const std::string& text :
       {repeated("a", kMegabyte), repeated(" ", kMegabyte), repeated("\xCC\x81", kMegabyte), random_bytes(),
        repeated("antidisestablishmentarianism", kMegabyte), repeated("\xF0\x9F\x98\x80", kMegabyte)}) {
    const double whole = seconds_to_encode(**tokenizer, text);
    const double quarter = seconds_to_encode(**tokenizer, std::string_view(text).substr(0, text.size() / 4));
    slowest = std::max(slowest, whole);
    growth = std::max(growth, whole / quarter);
  }
  fmt::print("{:>10.2f} s{:>9.1f}\n", slowest, growth);
}

}  // namespace

int main() {
  fmt::print("{:<26}{:>15}{:>15}{:>15}{:>12}{:>9}\n", "MB/s (times the floor)", "English", "C++", "mixed",
             "hostile MB", "growth");
  for (const char* family : {"gpt2", "smollm2", "qwen3", "phi3", "mistral-v3"})
    measure(family, test::data(std::string("text/") + family + "/tokenizer.json"));
  measure("mistral-v3 (.model)", test::data("text/mistral-v3/tokenizer.model"));
  for (const char* name :
       {"sp_unigram.model", "sp_bpe_bytes.model", "unigram.json", "precompiled.json", "word_piece.json"})
    measure(name, test::data(std::string("text/synthetic/") + name));
  if (const auto llama2 = test::shared("text/tokenizers/llama2"))
    measure("llama2", *llama2 / "tokenizer.json");
  if (const auto llama3 = test::shared("text/tokenizers/llama3"))
    measure("llama3", *llama3 / "tokenizer.json");
  if (const auto folder = test::shared("text/tokenizers/deepseek-coder"))
    measure("deepseek-coder (GGUF)", *folder / "ggml-vocab-deepseek-coder.gguf");
}
