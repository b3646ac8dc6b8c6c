// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures by name, with the defaults of transformers' configuration classes.
#include <nlohmann/json.hpp>

#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

using Windows = DecoderTraits::Windows;

constexpr DecoderTraits kPlain = {};
constexpr DecoderTraits kQkvBias = {.qkv_bias = true};
constexpr DecoderTraits kClassic = {
    .gated = false, .bias = true, .norm_bias = true};  ///< layer norms, biases, two matrices
constexpr DecoderTraits kGpt2 = {
    .gated = false, .bias = true, .norm_bias = true, .tied = true, .learned_positions = true};
constexpr DecoderTraits kQkNorm = {.qk_norm = true};
constexpr DecoderTraits kGated = {.qk_norm = true, .output_gate = true};
constexpr DecoderTraits kGemma = {.tied = true, .qk_norm = true, .post_norms = true, .head_dim = 256};

constexpr ConfigFamily kFamilies[] = {
    // Latent attention.
    {"DeepseekV2ForCausalLM", "deepseek_v2", read_decoder, kPlain},
    {"DeepseekV3ForCausalLM", "deepseek_v3", read_decoder, kPlain},
    {"DeepseekV32ForCausalLM", "deepseek_v32", read_decoder, kPlain},
    {"KimiK2ForCausalLM", "kimi_k2", read_decoder, kPlain},
    {"KimiK25ForConditionalGeneration", "kimi_k25", read_decoder, kPlain},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", read_decoder, kPlain},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", read_decoder, kPlain},
    {"LongcatFlashForCausalLM", "longcat_flash", read_decoder, kPlain},
    // Windows, chunks, sinks.
    {"GptOssForCausalLM",
     "gpt_oss",
     read_decoder,
     {.bias = true, .sinks = true, .windows = Windows::alternate, .head_dim = 64}},
    {"Llama4ForCausalLM", "llama4_text", read_decoder, kPlain},
    {"Llama4ForConditionalGeneration", "llama4", read_decoder, kPlain},
    {"Gemma3nForCausalLM", "gemma3n_text", read_decoder, kGemma},
    {"Gemma3nForConditionalGeneration", "gemma3n", read_decoder, kGemma},
    {"Gemma4ForCausalLM", "gemma4_text", read_decoder, kGemma},
    {"Gemma4ForConditionalGeneration", "gemma4", read_decoder, kGemma},
    {"Olmo3ForCausalLM",
     "olmo3",
     read_decoder,
     {.qk_norm = true, .windows = Windows::pattern, .window_pattern = 4}},
    {"Exaone4ForCausalLM",
     "exaone4",
     read_decoder,
     {.qk_norm = true, .windows = Windows::pattern, .window_pattern = 4}},
    {"PhimoeForCausalLM", "phimoe", read_decoder, {.bias = true, .windows = Windows::by_key}},
    {"PhiMoEForCausalLM", "phimoe", read_decoder, {.bias = true, .windows = Windows::by_key}},
    {"Starcoder2ForCausalLM", "starcoder2", read_decoder, {.gated = false, .bias = true, .tied = true}},
    {"Ministral3ForCausalLM", "ministral3", read_decoder, kPlain},
    {"MiMoForCausalLM", "mimo", read_decoder, {.qkv_bias = true, .windows = Windows::by_key}},
    // Linear attention and state space.
    {"Qwen3NextForCausalLM", "qwen3_next", read_decoder, kGated},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", read_decoder, kGated},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", read_decoder, kGated},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", read_decoder, kGated},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", read_decoder, kGated},
    {"Lfm2ForCausalLM", "lfm2", read_decoder, {.tied = true, .qk_norm = true}},
    {"Lfm2MoeForCausalLM", "lfm2_moe", read_decoder, {.tied = true, .qk_norm = true}},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", read_decoder, {.tied = true}},
    {"JambaForCausalLM", "jamba", read_hybrid, kPlain},
    {"BambaForCausalLM", "bamba", read_hybrid, kPlain},
    {"FalconH1ForCausalLM", "falcon_h1", read_hybrid, kPlain},
    {"Zamba2ForCausalLM", "zamba2", read_hybrid, kPlain},
    {"MambaForCausalLM", "mamba", read_hybrid, {.tied = true}},
    {"Mamba2ForCausalLM", "mamba2", read_hybrid, {.tied = true}},
    {"FalconMambaForCausalLM", "falcon_mamba", read_hybrid, {.tied = true}},
    {"NemotronHForCausalLM", "nemotron_h", read_nemotron_h, {.gated = false}},
    // Encoders and what attends to them.
    {"T5ForConditionalGeneration", "t5", read_encoder_decoder, {.gated = false, .tied = true}},
    {"MT5ForConditionalGeneration", "mt5", read_encoder_decoder, {}},
    {"BartForConditionalGeneration", "bart", read_encoder_decoder, kGpt2},
    {"WhisperForConditionalGeneration",
     "whisper",
     read_encoder_decoder,
     {.gated = false, .bias = true, .tied = true}},
    {"MllamaForConditionalGeneration", "mllama", read_mllama, kPlain},
    {"MllamaForCausalLM", "mllama_text_model", read_mllama, kPlain},
    {"BertModel", "bert", read_encoder, kGpt2},
    {"XLMRobertaModel", "xlm-roberta", read_encoder, kGpt2},
    // Full attention throughout.
    {"GPT2LMHeadModel", "gpt2", read_decoder, kGpt2},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", read_decoder, kGpt2},
    {"GPTNeoXForCausalLM", "gpt_neox", read_decoder, kClassic},
    {"GPTJForCausalLM", "gptj", read_decoder, kClassic},
    {"OPTForCausalLM", "opt", read_decoder, kGpt2},
    {"BloomForCausalLM", "bloom", read_decoder, {.gated = false, .bias = true, .tied = true}},
    {"FalconForCausalLM", "falcon", read_decoder, {.gated = false, .tied = true}},
    {"PhiForCausalLM", "phi", read_decoder, kClassic},
    {"StableLmForCausalLM", "stablelm", read_decoder, kPlain},
    {"InternLM2ForCausalLM", "internlm2", read_decoder, kPlain},
    {"InternLM3ForCausalLM", "internlm3", read_decoder, kPlain},
    {"BaichuanForCausalLM", "baichuan", read_decoder, kPlain},
    {"DeepseekForCausalLM", "deepseek", read_decoder, kPlain},
    {"ChatGLMModel", "chatglm", read_decoder, kQkvBias},
    {"GlmForCausalLM", "glm", read_decoder, kQkvBias},
    {"Glm4ForCausalLM", "glm4", read_decoder, {.qkv_bias = true, .post_norms = true}},
    {"Glm4MoeForCausalLM", "glm4_moe", read_decoder, kQkvBias},
    {"OlmoForCausalLM", "olmo", read_decoder, kPlain},
    {"Olmo2ForCausalLM", "olmo2", read_decoder, kQkNorm},
    {"OlmoeForCausalLM", "olmoe", read_decoder, kQkNorm},
    {"ExaoneForCausalLM", "exaone", read_decoder, kPlain},
    {"NemotronForCausalLM", "nemotron", read_decoder, {.gated = false}},
    {"ArceeForCausalLM", "arcee", read_decoder, {.gated = false}},
    {"ApertusForCausalLM", "apertus", read_decoder, {.gated = false, .qk_norm = true}},
    {"SeedOssForCausalLM", "seed_oss", read_decoder, kQkvBias},
    {"Ernie4_5ForCausalLM", "ernie4_5", read_decoder, {.tied = true}},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", read_decoder, {.tied = true}},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", read_decoder, kQkNorm},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", read_decoder, kQkNorm},
    {"MiniMaxM2ForCausalLM", "minimax_m2", read_decoder, kQkNorm},
    {"Dots1ForCausalLM", "dots1", read_decoder, kQkNorm},
    {"GraniteMoeForCausalLM", "granitemoe", read_decoder, {.tied = true}},
    {"BailingMoeV2ForCausalLM", "bailing_moe", read_decoder, kQkNorm},
    // Decoders that this engine runs, inside checkpoints that also see or with keys that it does not take.
    {"LlamaForCausalLM", "llama", read_decoder, kPlain},
    {"MistralForCausalLM", "mistral", read_decoder, kPlain},
    {"MixtralForCausalLM", "mixtral", read_decoder, kPlain},
    {"Qwen2ForCausalLM", "qwen2", read_decoder, kQkvBias},
    {"Qwen2MoeForCausalLM", "qwen2_moe", read_decoder, kQkvBias},
    {"Qwen3ForCausalLM", "qwen3", read_decoder, kQkNorm},
    {"Qwen3MoeForCausalLM", "qwen3_moe", read_decoder, kQkNorm},
    {"GemmaForCausalLM", "gemma", read_decoder, {.tied = true, .head_dim = 256}},
    {"Gemma2ForCausalLM",
     "gemma2",
     read_decoder,
     {.tied = true, .post_norms = true, .windows = Windows::alternate, .head_dim = 256}},
    {"Gemma3ForCausalLM",
     "gemma3_text",
     read_decoder,
     {.tied = true,
      .qk_norm = true,
      .post_norms = true,
      .windows = Windows::pattern,
      .window_pattern = 6,
      .head_dim = 256}},
    {"Phi3ForCausalLM", "phi3", read_decoder, kPlain},
    {"GraniteForCausalLM", "granite", read_decoder, kPlain},
    {"CohereForCausalLM", "cohere", read_decoder, {.tied = true}},
    {"Cohere2ForCausalLM",
     "cohere2",
     read_decoder,
     {.tied = true, .windows = Windows::pattern, .window_pattern = 4}},
    {"SmolLM3ForCausalLM", "smollm3", read_decoder, {.tied = true, .windows = Windows::by_key}},
    // Language models under another name, beside a vision or audio tower.
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", read_decoder, kQkvBias},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", read_decoder, kQkvBias},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", read_decoder, kQkNorm},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", read_decoder, kQkNorm},
    {"Qwen3VLTextModel", "qwen3_vl_text", read_decoder, kQkNorm},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", read_decoder, kQkNorm},
    {"Qwen2_5_VLTextModel", "qwen2_5_vl_text", read_decoder, kQkvBias},
    {"Qwen2VLTextModel", "qwen2_vl_text", read_decoder, kQkvBias},
    {"Glm4vForConditionalGeneration", "glm4v", read_decoder, {.qkv_bias = true, .post_norms = true}},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", read_decoder, kQkvBias},
    {"Glm4vTextModel", "glm4v_text", read_decoder, {.qkv_bias = true, .post_norms = true}},
    {"Glm4vMoeTextModel", "glm4v_moe_text", read_decoder, kQkvBias},
};

/// Their language model is described by itself, under one of kNestedKeys.
constexpr std::string_view kWrappers[] = {
    "LlavaForConditionalGeneration",          "LlavaNextForConditionalGeneration",
    "LlavaOnevisionForConditionalGeneration", "InternVLChatModel",
    "InternVLForConditionalGeneration",       "Idefics3ForConditionalGeneration",
    "SmolVLMForConditionalGeneration",        "PaliGemmaForConditionalGeneration",
    "Gemma3ForConditionalGeneration",         "Mistral3ForConditionalGeneration",
    "PixtralForConditionalGeneration",        "VipLlavaForConditionalGeneration",
    "AyaVisionForConditionalGeneration"};

constexpr const char* kNestedKeys[] = {"text_config", "llm_config", "language_config"};

}  // namespace

const ConfigFamily* find_config_family(std::string_view architecture) {
  for (const ConfigFamily& family : kFamilies) {
    if (family.architecture == architecture) return &family;
  }
  for (const std::string_view wrapper : kWrappers) {
    static constexpr ConfigFamily kWrapped{"", "", nullptr, {}};
    if (wrapper == architecture) return &kWrapped;
  }
  return nullptr;
}

const ConfigFamily* find_config_family_of_type(std::string_view model_type) {
  for (const ConfigFamily& family : kFamilies) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

const json* nested_config(const json& config) {
  for (const char* key : kNestedKeys) {
    const auto found = config.find(key);
    if (found != config.end() && found->is_object()) return &*found;
  }
  return nullptr;
}

}  // namespace pitwall
