// SPDX-License-Identifier: GPL-3.0-or-later
// Source of the names, patterns and flags: llama.cpp, src/llama-vocab.cpp. A new one is a row in the table.
#include "engine/text/gguf_pretokenizers.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"
#include "engine/text/pretokenizer.h"

namespace pitwall {

namespace {

const std::string kGpt2 = kGpt2Pattern;
const std::string kDigit = R"(\p{N})";
const std::string kDigits = R"(\p{N}+)";
const std::string kThreeDigits = R"(\p{N}{1,3})";
const std::string kGpt2Punctuation = R"([\p{P}\$\+<=>\^~\|]+)";
const std::string kContraction = R"((?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]))";

// GPT-4's pattern and its descendants differ in how they take contractions, numbers and line ends.
const std::string kTail = R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
const std::string kOther = R"( ?[^\s\p{L}\p{N}]+[\r\n]*|)" + kTail;
const std::string kWord = R"([^\r\n\p{L}\p{N}]?\p{L}+)";
const std::string kLlama3 = kContraction + "|" + kWord + R"(|\p{N}{1,3}|)" + kOther;
const std::string kQwen2 = kContraction + "|" + kWord + R"(|\p{N}|)" + kOther;
const std::string kMiniCpm5 = kContraction + "|" + kWord + R"(|\p{N}+|)" + kOther;
const std::string kUfakzeka = kWord + R"(|\p{N}|)" + kOther;
const std::string kQwen35 =
    kContraction + R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" + kTail;
const std::string kSeedCoder = kContraction + "|" + kWord + R"(|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" + kTail;
const std::string kBailing = R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|)" + kWord +
                             R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
const std::string kExaoneMoe = kContraction + R"(|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
                                              R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
const std::string kJais2 =
    kContraction + "|" + kWord +
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|)"
    R"(\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";

/// Words in which upper case comes before lower case: `upper` and `lower` are classes.
std::string cased_words(const std::string& upper, const std::string& lower, const std::string& end) {
  return R"([^\r\n\p{L}\p{N}]?)" + upper + "*" + lower + "+" + end + R"(|[^\r\n\p{L}\p{N}]?)" + upper + "+" +
         lower + "*" + end;
}
const std::string kSlashOther = R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|)" + kTail;
const std::string kUpper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
const std::string kLower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
// llama.cpp tells upper from lower case in ASCII only.
const std::string kAsciiUpper = R"((?:(?=\p{L})[^a-z]))";
const std::string kAsciiLower = R"((?:(?=\p{L})[^A-Z]))";
const std::string kMarkUpper = R"((?:(?=[\p{L}\p{M}])[^a-z]))";
const std::string kMarkLower = R"((?:(?=[\p{L}\p{M}])[^A-Z]))";
const std::string kNotHan = R"((?!\p{Han}))";
const std::string kOptionalContraction = kContraction + "?";
const std::string kTekken = cased_words(kAsciiUpper, kAsciiLower, "") + R"(|\p{N}|)" + kSlashOther;
const std::string kGpt4o =
    cased_words(kAsciiUpper, kAsciiLower, kOptionalContraction) + R"(|\p{N}{1,3}|)" + kSlashOther;
const std::string kGraniteMulti =
    cased_words(kMarkUpper, kMarkLower, kOptionalContraction) + R"(|\p{N}{1,3}|)" + kSlashOther;
const std::string kTinyAya =
    cased_words(kUpper, kLower, kOptionalContraction) + R"(|\p{N}{1,3}|)" + kSlashOther;
const std::string kYoutu = cased_words(kUpper, kLower, kOptionalContraction) + R"(|\p{N}|)" + kSlashOther;
const std::string kKimi =
    R"(\p{Han}+|)" +
    cased_words("(?:" + kNotHan + kUpper + ")", "(?:" + kNotHan + kLower + ")", kOptionalContraction) +
    R"(|\p{N}{1,3}|)" + kOther;

const std::string kDeepseek3Han = "[一-龥\u3040-ゟ゠-ヿ]+";
const std::string kDeepseek3Words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|)" +
    kTail;
const std::string kSparkWords =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
const std::string kDeepseekHan = "[一-龥\u0800-一가-\uD7FF]+";
const std::string kDeepseekLetters =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝ\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}Ⰰ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
const std::string kPoro = R"( ?[^(\s|.,!?…。，、।۔،)]+)";

struct Row {
  std::vector<std::string_view> names;
  GgufPretokenizer pretokenizer;
};

/// Files that name no pre-tokenizer, or "default", are cut at punctuation first and into groups of three
/// digits last: what GGUF's first tools did before the key existed.
const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {{"", "default"}, {.patterns = {kGpt2Punctuation, kGpt2, kDigits, "[0-9][0-9][0-9]"}}},
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum",
        "modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe", "exaone4", "mpt", "olmo", "jais",
        "trillion", "granite-docling"},
       {.patterns = {kGpt2}}},
      {{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
       {.patterns = {kDigit, kGpt2}}},
      {{"falcon"}, {.patterns = {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2, "[0-9][0-9][0-9]"}}},
      {{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
        "jina-v5-nano"},
       {.patterns = {kLlama3}, .whole_pieces_first = true, .add_bos = true}},
      {{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, {.patterns = {kLlama3}}},
      {{"minicpm5"}, {.patterns = {kThreeDigits, kMiniCpm5}, .whole_pieces_first = true}},
      {{"jais-2"}, {.patterns = {kJais2}}},
      {{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "stablelm2", "megrez", "hunyuan", "solar-open",
        "grok-2"},
       {.patterns = {kQwen2}}},
      {{"qwen35"}, {.patterns = {kQwen35}}},
      {{"ufakzeka"}, {.patterns = {kUfakzeka}}},
      {{"laguna"}, {.patterns = {R"([^\n]+|[\n]+)", kQwen2}}},
      {{"seed-coder"}, {.patterns = {kSeedCoder}}},
      {{"bailingmoe", "bailingmoe2", "llada-moe"}, {.patterns = {kBailing}}},
      {{"exaone-moe"}, {.patterns = {kExaoneMoe}}},
      {{"tekken"}, {.patterns = {kTekken}, .whole_pieces_first = true, .add_bos = true}},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {.patterns = {kGpt4o}}},
      {{"granite-embed-multi-97m"}, {.patterns = {kGraniteMulti}, .whole_pieces_first = true}},
      {{"tiny_aya", "cohere2moe"}, {.patterns = {R"(\d{1,3}(?=(?:\d{3})*\b))", kTinyAya}}},
      {{"youtu"},
       {.patterns =
            {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥\u3040-"
             "ゟ゠-"
             "ヿ]"
             "+",
             kYoutu},
        .whole_pieces_first = true}},
      {{"kimi-k2"}, {.patterns = {kKimi}}},
      {{"superbpe"}, {.patterns = {kDigits, R"((?=(\d{3})+(?!\d)))"}}},
      {{"deepseek-llm"},
       {.patterns = {R"([\r\n])", kDeepseekLetters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)", R"(\s+$)",
                     kDeepseekHan, kDigits}}},
      {{"deepseek-coder"}, {.patterns = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepseekHan, kDigit}}},
      {{"deepseek-v3", "hunyuan-dense", "hy_v4", "joyai-llm"},
       {.patterns = {kThreeDigits, kDeepseek3Han, kDeepseek3Words}}},
      {{"spark2_5"}, {.patterns = {kThreeDigits, kDeepseek3Han, kSparkWords, kDigit}}},
      {{"poro-chat", "bloom", "gpt3-finnish"}, {.patterns = {kPoro}}},
      {{"viking"}, {.patterns = {kPoro, kDigit}}},
      {{"chameleon"},
       {.patterns = {"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", R"(([\t\n]|    |  ))",
                     kDigit, R"([\p{P}!-/:-@\[-`{-~])", kGpt2},
        .add_bos = true}},
      {{"gemma4", "granite-embed-multi-311m"},
       {.patterns = {R"([^\n]+|[\n]+)"}, .add_bos = true, .byte_level = false}},
      {{"sarvam-moe"}, {.patterns = {R"([^\n]+|[\n]+)"}, .byte_level = false}},
  };
  return kRows;
}

}  // namespace

Result<GgufPretokenizer> gguf_pretokenizer(std::string_view name) {
  for (const Row& row : rows()) {
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return row.pretokenizer;
  }
  return Error{Error::Kind::unsupported,
               fmt::format("The pre-tokenizer {} is not known", quote_for_message(name)),
               "The model was made for a newer or different tokenizer", "Use a model of a supported family",
               "tokenizer.ggml.pre"};
}

}  // namespace pitwall
