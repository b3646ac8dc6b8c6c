// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures by name, with the defaults of transformers' configuration classes.
#include <nlohmann/json.hpp>

#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

using Windows = DecoderTraits::Windows;

using QkNorm = DecoderTraits::QkNorm;

constexpr DecoderTraits kPlain = {};
constexpr DecoderTraits kQkvBias = {.qkv_bias = true};
constexpr DecoderTraits kQkvBiasOf8 = {.qkv_bias = true, .kv_heads = 8};
constexpr DecoderTraits kGlm4 = {.qkv_bias = true, .norms = 4, .kv_heads = 2};
constexpr DecoderTraits kClassic = {.gated = false,
                                    .qkv_bias = true,
                                    .out_bias = true,
                                    .mlp_bias = true,
                                    .norm_bias = true};  ///< layer norms, biases, two matrices
/// The same with learned positions, `extra` more than those that the file states, and one matrix for
/// embedding and output.
constexpr DecoderTraits classic_with_positions(int extra, int outer_norms = DecoderTraits{}.outer_norms) {
  DecoderTraits traits = kClassic;
  traits.tied = true;
  traits.extra_positions = extra;
  traits.outer_norms = outer_norms;
  return traits;
}
constexpr DecoderTraits kGpt2 = classic_with_positions(0);
constexpr DecoderTraits kOpt = classic_with_positions(2);
constexpr DecoderTraits kBart = classic_with_positions(2, 2);
constexpr DecoderTraits kQkNorm = {.qk_norm = QkNorm::shared};
constexpr DecoderTraits kWideQkNorm = {.qk_norm = QkNorm::whole};
constexpr DecoderTraits kGemma4 = {.norms = 4,
                                   .tied = true,
                                   .qk_norm = QkNorm::shared,
                                   .head_dim = 256,
                                   .kv_heads = 4,
                                   .full_head_dim = 512,
                                   .needs = {"layer_types"},
                                   .shared_without_weights = true,
                                   .own_key = "per_layer_config"};
constexpr DecoderTraits kLatentExperts = {
    .needs = {"kv_lora_rank", "n_routed_experts", "moe_intermediate_size"}};
constexpr DecoderTraits kGatedHybrid = {.output_gate = true,
                                        .qk_norm = QkNorm::shared,
                                        .kv_heads = 4,
                                        .needs = {"layer_types|full_attention_interval"}};
constexpr DecoderTraits kGatedHybridExperts = {
    .output_gate = true,
    .qk_norm = QkNorm::shared,
    .kv_heads = 2,
    .needs = {"layer_types|full_attention_interval", "num_experts", "moe_intermediate_size"},
    .may_be_dense = true};
constexpr DecoderTraits kQwen3Next = [] {
  DecoderTraits traits = kGatedHybridExperts;
  traits.head_dim = 256;
  return traits;
}();
constexpr DecoderTraits kGemma3n = {.norms = 4,
                                    .tied = true,
                                    .qk_norm = QkNorm::shared,
                                    .head_dim = 256,
                                    .kv_heads = 2,
                                    .needs = {"num_kv_shared_layers", "layer_types"}};
constexpr DecoderTraits kFalcon = {
    .gated = false, .norms = 1, .norm_bias = true, .tied = true, .multi_query = true, .context = 2048};

constexpr DecoderTraits kLlama4 = {.qk_norm_weighs = false, .kv_heads = 8, .needs = {"num_local_experts"}};

constexpr ConfigFamily kFamilies[] = {
    // Latent attention.
    {"DeepseekV2ForCausalLM", "deepseek_v2", read_decoder, kLatentExperts},
    {"DeepseekV3ForCausalLM", "deepseek_v3", read_decoder, kLatentExperts},
    {"DeepseekV32ForCausalLM", "deepseek_v32", read_decoder, kLatentExperts},
    {"MistralLarge3ForCausalLM", "mistral_large_3", read_decoder, kLatentExperts},
    {"MiniCPM3ForCausalLM",
     "minicpm3",
     read_decoder,
     {.tied = true, .head_dim = 64, .needs = {"kv_lora_rank"}}},
    {"KimiK2ForCausalLM", "kimi_k2", read_decoder, kLatentExperts},
    {"KimiK25ForConditionalGeneration", "kimi_k25", read_decoder, kLatentExperts},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", read_decoder, kLatentExperts},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", read_decoder, kLatentExperts},
    {"LongcatFlashForCausalLM",
     "longcat_flash",
     read_decoder,
     {.twin = true, .needs = {"kv_lora_rank", "n_routed_experts", "expert_ffn_hidden_size"}}},
    // Windows, chunks, sinks.
    {"GptOssForCausalLM",
     "gpt_oss",
     read_decoder,
     {.qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .expert_bias = true,
      .sinks = true,
      .windows = Windows::alternate,
      .head_dim = 64,
      .kv_heads = 8,
      .needs = {"num_local_experts"}}},
    {"Llama4ForCausalLM", "llama4_text", read_decoder, kLlama4},
    {"Llama4ForConditionalGeneration", "llama4", read_decoder, kLlama4},
    {"Gemma3nForCausalLM", "gemma3n_text", read_decoder, kGemma3n},
    {"Gemma3nForConditionalGeneration", "gemma3n", read_decoder, kGemma3n},
    {"Gemma4ForCausalLM", "gemma4_text", read_decoder, kGemma4},
    {"Gemma4ForConditionalGeneration", "gemma4", read_decoder, kGemma4},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", read_decoder, kGemma4},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", read_decoder, kGemma4},
    {"Olmo3ForCausalLM",
     "olmo3",
     read_decoder,
     {.qk_norm = QkNorm::whole, .windows = Windows::pattern, .window_pattern = 4}},
    {"Exaone4ForCausalLM",
     "exaone4",
     read_decoder,
     {.qk_norm = QkNorm::shared, .windows = Windows::pattern, .window_pattern = 4}},
    {"PhimoeForCausalLM",
     "phimoe",
     read_decoder,
     {.norm_bias = true, .kv_heads = 8, .needs = {"num_local_experts"}}},
    {"PhiMoEForCausalLM",
     "phimoe",
     read_decoder,
     {.norm_bias = true, .kv_heads = 8, .needs = {"num_local_experts"}}},
    {"Starcoder2ForCausalLM",
     "starcoder2",
     read_decoder,
     {.gated = false,
      .qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .norm_bias = true,
      .tied = true,
      .kv_heads = 2}},
    {"MinistralForCausalLM", "ministral", read_decoder, {.kv_heads = 8}},
    {"Ministral3ForCausalLM", "ministral3", read_decoder, {.kv_heads = 8}},
    {"MiMoForCausalLM", "mimo", read_decoder, kQkvBias},
    // Linear attention and state space.
    {"Qwen3NextForCausalLM", "qwen3_next", read_decoder, kQwen3Next},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", read_decoder, kGatedHybrid},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", read_decoder, kGatedHybrid},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", read_decoder, kGatedHybridExperts},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", read_decoder, kGatedHybridExperts},
    {"Lfm2ForCausalLM",
     "lfm2",
     read_decoder,
     {.tied = true, .qk_norm = QkNorm::shared, .kv_heads = 8, .needs = {"layer_types|full_attn_idxs"}}},
    {"Lfm2MoeForCausalLM",
     "lfm2_moe",
     read_decoder,
     {.tied = true,
      .qk_norm = QkNorm::shared,
      .kv_heads = 8,
      .needs = {"layer_types|full_attn_idxs", "num_experts", "moe_intermediate_size"}}},
    {"GraniteMoeHybridForCausalLM",
     "granitemoehybrid",
     read_decoder,
     {.tied = true, .needs = {"layer_types|layers_block_type", "num_local_experts"}, .may_be_dense = true}},
    {"JambaForCausalLM",
     "jamba",
     read_hybrid,
     {.kv_heads = 8, .needs = {"intermediate_size", "num_experts"}}},
    {"BambaForCausalLM", "bamba", read_hybrid, {.kv_heads = 8, .needs = {"intermediate_size"}}},
    {"FalconH1ForCausalLM", "falcon_h1", read_hybrid, {.kv_heads = 8, .needs = {"intermediate_size"}}},
    {"Zamba2ForCausalLM", "zamba2", read_zamba2, {.tied = true, .own_key = "num_query_groups"}},
    {"MambaForCausalLM", "mamba", read_hybrid, {.tied = true}},
    {"Mamba2ForCausalLM", "mamba2", read_hybrid, {.tied = true}},
    {"FalconMambaForCausalLM", "falcon_mamba", read_hybrid, {.tied = true}},
    {"NemotronHForCausalLM", "nemotron_h", read_nemotron_h, {.gated = false}},
    // Encoders and what attends to them.
    {"T5ForConditionalGeneration",
     "t5",
     read_encoder_decoder,
     {.gated = false, .outer_norms = 2, .tied = true}},
    {"T5WithLMHeadModel", "t5", read_encoder_decoder, {.gated = false, .outer_norms = 2, .tied = true}},
    {"MT5ForConditionalGeneration", "mt5", read_encoder_decoder, {.outer_norms = 2}},
    {"BartForConditionalGeneration", "bart", read_encoder_decoder, kBart},
    {"WhisperForConditionalGeneration",
     "whisper",
     read_encoder_decoder,
     {.gated = false,
      .qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .key_bias = false,
      .outer_norms = 2,
      .norm_bias = true,
      .tied = true,
      .extra_positions = 0}},
    {"MllamaForConditionalGeneration", "mllama", read_mllama, kPlain},
    {"MllamaForCausalLM", "mllama_text_model", read_mllama, kPlain},
    {"BertModel", "bert", read_encoder, kGpt2},
    {"BertForMaskedLM", "bert", read_encoder, kGpt2},
    {"BertForSequenceClassification", "bert", read_encoder, kGpt2},
    {"RobertaModel", "roberta", read_encoder, kGpt2},
    {"RobertaForMaskedLM", "roberta", read_encoder, kGpt2},
    {"XLMRobertaForMaskedLM", "xlm-roberta", read_encoder, kGpt2},
    {"XLMRobertaForSequenceClassification", "xlm-roberta", read_encoder, kGpt2},
    {"XLMRobertaModel", "xlm-roberta", read_encoder, kGpt2},
    // Full attention throughout.
    {"GPT2LMHeadModel", "gpt2", read_decoder, kGpt2},
    {"GPTBigCodeForCausalLM",
     "gpt_bigcode",
     read_decoder,
     {.gated = false,
      .qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .norm_bias = true,
      .tied = true,
      .extra_positions = 0,
      .multi_query = true}},
    {"GPTNeoXForCausalLM", "gpt_neox", read_decoder, kClassic},
    {"GPTJForCausalLM",
     "gptj",
     read_decoder,
     {.gated = false, .mlp_bias = true, .head_bias = true, .norms = 1, .norm_bias = true}},
    {"OPTForCausalLM", "opt", read_decoder, kOpt},
    {"BloomForCausalLM",
     "bloom",
     read_decoder,
     {.gated = false,
      .qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .outer_norms = 2,
      .norm_bias = true,
      .tied = true,
      .context = 2048}},
    {"FalconForCausalLM", "falcon", read_decoder, kFalcon},
    {"RWForCausalLM", "RefinedWebModel", read_decoder, kFalcon},
    {"RWForCausalLM", "RefinedWeb", read_decoder, kFalcon},
    {"MPTForCausalLM", "mpt", read_mpt, {.gated = false, .norm_bias = true, .tied = true, .context = 2048}},
    {"MptForCausalLM", "mpt", read_mpt, {.gated = false, .norm_bias = true, .tied = true, .context = 2048}},
    {"DbrxForCausalLM", "dbrx", read_dbrx, kPlain},
    {"PhiForCausalLM",
     "phi",
     read_decoder,
     {.gated = false,
      .qkv_bias = true,
      .out_bias = true,
      .mlp_bias = true,
      .head_bias = true,
      .norms = 1,
      .norm_bias = true}},
    {"StableLmForCausalLM", "stablelm", read_decoder, {.norm_bias = true, .one_norm_if_parallel = true}},
    {"StableLMEpochForCausalLM",
     "stablelm_epoch",
     read_decoder,
     {.norm_bias = true, .one_norm_if_parallel = true}},
    {"InternLM2ForCausalLM", "internlm2", read_decoder, kPlain},
    {"InternLM3ForCausalLM", "internlm3", read_decoder, kPlain},
    {"BaichuanForCausalLM", "baichuan", read_decoder, kPlain},
    {"BaiChuanForCausalLM", "baichuan", read_decoder, kPlain},
    {"InternLMForCausalLM", "internlm", read_decoder, kPlain},
    {"QWenLMHeadModel", "qwen", read_qwen, kQkvBias},
    {"DeepseekForCausalLM",
     "deepseek",
     read_decoder,
     {.needs = {"n_routed_experts", "moe_intermediate_size"}}},
    {"ChatGLMModel", "chatglm", read_decoder, kPlain},
    {"ChatGLMForConditionalGeneration", "chatglm", read_decoder, kPlain},
    {"GlmForCausalLM", "glm", read_decoder, {.qkv_bias = true, .kv_heads = 2}},
    {"Glm4ForCausalLM", "glm4", read_decoder, kGlm4},
    {"Glm4MoeForCausalLM",
     "glm4_moe",
     read_decoder,
     {.qkv_bias = true, .kv_heads = 8, .needs = {"n_routed_experts", "moe_intermediate_size"}}},
    {"HeliumForCausalLM", "helium", read_decoder, kPlain},
    {"CwmForCausalLM", "cwm", read_decoder, kPlain},
    {"SolarOpenForCausalLM", "solar_open", read_decoder, kPlain},
    {"YoutuForCausalLM", "youtu", read_decoder, kPlain},
    {"GraniteMoeSharedForCausalLM", "granitemoeshared", read_decoder, {.needs = {"num_local_experts"}}},
    {"ExaoneMoeForCausalLM",
     "exaone_moe",
     read_decoder,
     {.qk_norm = QkNorm::shared, .needs = {"num_experts"}}},
    {"HYV3ForCausalLM", "hy_v3", read_decoder, kQkNorm},
    {"FlexOlmoForCausalLM", "flex_olmo", read_decoder, {.qk_norm = QkNorm::whole, .needs = {"num_experts"}}},
    {"Jais2ForCausalLM", "jais2", read_decoder, kClassic},
    {"CodeGenForCausalLM",
     "codegen",
     read_decoder,
     {.gated = false, .mlp_bias = true, .head_bias = true, .norms = 1, .norm_bias = true}},
    {"MiniCPMForCausalLM", "minicpm", read_decoder, {.tied = true}},
    {"OlmoForCausalLM", "olmo", read_decoder, {.norms = 0, .outer_norms = 0}},
    {"Olmo2ForCausalLM", "olmo2", read_decoder, kWideQkNorm},
    {"OlmoeForCausalLM", "olmoe", read_decoder, {.qk_norm = QkNorm::whole, .needs = {"num_experts"}}},
    {"ExaoneForCausalLM", "exaone", read_decoder, kPlain},
    {"NemotronForCausalLM",
     "nemotron",
     read_decoder,
     {.gated = false, .norm_bias = true, .needs = {"intermediate_size"}}},
    {"ArceeForCausalLM", "arcee", read_decoder, {.gated = false, .needs = {"intermediate_size"}}},
    {"ApertusForCausalLM", "apertus", read_decoder, {.gated = false, .qk_norm = QkNorm::shared}},
    {"SeedOssForCausalLM", "seed_oss", read_decoder, {.qkv_bias = true, .head_dim = 128, .kv_heads = 8}},
    {"Ernie4_5ForCausalLM", "ernie4_5", read_decoder, {.tied = true}},
    {"Ernie4_5_MoeForCausalLM",
     "ernie4_5_moe",
     read_decoder,
     {.tied = true,
      .kv_heads = 4,
      .needs = {"moe_num_experts", "moe_intermediate_size"},
      .correction_bias = true}},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", read_decoder, kQkNorm},
    {"HunYuanMoEV1ForCausalLM",
     "hunyuan_v1_moe",
     read_decoder,
     {.qk_norm = QkNorm::shared, .needs = {"num_experts"}}},
    {"HunYuanForCausalLM", "hunyuan", read_decoder, kQkNorm},
    {"MiniMaxM2ForCausalLM",
     "minimax_m2",
     read_decoder,
     {.qk_norm = QkNorm::whole, .head_dim = 128, .kv_heads = 8, .needs = {"num_local_experts"}}},
    {"MiniMaxForCausalLM", "minimax", read_decoder, {.needs = {"num_local_experts"}}},
    {"MiniMaxText01ForCausalLM", "minimax_text_01", read_decoder, {.needs = {"num_local_experts"}}},
    {"MiniMaxM1ForCausalLM", "minimax_m1", read_decoder, {.needs = {"num_local_experts"}}},
    {"Dots1ForCausalLM",
     "dots1",
     read_decoder,
     {.qk_norm = QkNorm::shared, .needs = {"n_routed_experts", "moe_intermediate_size"}}},
    {"GraniteMoeForCausalLM", "granitemoe", read_decoder, {.tied = true, .needs = {"num_local_experts"}}},
    {"BailingMoeV2ForCausalLM",
     "bailing_moe",
     read_decoder,
     {.qk_norm = QkNorm::shared, .needs = {"num_experts"}, .correction_bias = true}},
    {"BailingMoeForCausalLM", "bailing_moe", read_decoder, {.needs = {"num_experts"}}},
    {"DeciLMForCausalLM", "nemotron-nas", read_nas, kPlain},
    {"RwkvForCausalLM", "rwkv", read_rwkv, {.gated = false, .outer_norms = 2, .norm_bias = true}},
    // Of 2025 and 2026; each class as transformers 5.24 has it.
    {"AfmoeForCausalLM",
     "afmoe",
     read_decoder,
     {.norms = 4,
      .output_gate = true,
      .qk_norm = QkNorm::shared,
      .needs = {"layer_types", "num_experts", "moe_intermediate_size"},
      .correction_bias = true}},
    {"AXK1ForCausalLM",
     "axk1",
     read_decoder,
     {.needs = {"kv_lora_rank", "n_routed_experts", "moe_intermediate_size"}, .sparse_norm = true}},
    {"BailingHybridForCausalLM",
     "bailing_hybrid",
     read_decoder,
     {.needs = {"layer_types", "kv_lora_rank", "num_experts"}, .head_gates = true, .full_gates = true}},
    {"KimiLinearForCausalLM",
     "kimi_linear",
     read_decoder,
     {.needs = {"layer_types|linear_attn_config", "kv_lora_rank", "num_experts"},
      .own_key = "linear_attn_config"}},
    {"BeamForCausalLM",
     "beam",
     read_decoder,
     {.norms = 4,
      .output_gate = true,
      .qk_norm = QkNorm::shared,
      .needs = {"layer_types", "num_experts", "moe_intermediate_size"},
      .gate_bias = true}},
    {"BitNetForCausalLM", "bitnet", read_decoder, {.inner_norms = true}},
    {"Cohere2MoeForCausalLM",
     "cohere2_moe",
     read_decoder,
     {.norms = 1, .tied = true, .needs = {"layer_types", "num_experts"}}},
    {"DiffLlamaForCausalLM", "diffllama", read_decoder, {.head_vectors = 4}},
    {"FlintForCausalLM",
     "flint",
     read_decoder,
     {.sinks = true,
      .qk_norm = QkNorm::shared,
      .needs = {"layer_types", "num_experts", "moe_intermediate_size"},
      .shared_gate = false}},
    {"GraniteSWAForCausalLM",
     "granite_swa",
     read_decoder,
     {.tied = true, .sinks = true, .needs = {"layer_types"}}},
    {"GraniteMoeSWAForCausalLM",
     "granitemoe_swa",
     read_decoder,
     {.tied = true, .sinks = true, .needs = {"layer_types", "num_local_experts"}}},
    {"HyperCLOVAXForCausalLM", "hyperclovax", read_decoder, kPlain},
    {"Kolibri1ForCausalLM",
     "kolibri1",
     read_decoder,
     {.norms = 4,
      .qk_norm = QkNorm::shared,
      .needs = {"layer_types", "num_local_experts", "moe_intermediate_size"},
      .shared_gate = false}},
    {"LagunaForCausalLM",
     "laguna",
     read_decoder,
     {.qk_norm = QkNorm::shared,
      .needs = {"layer_types", "num_experts", "moe_intermediate_size"},
      .head_gates = true,
      .shared_gate = false,
      .correction_bias = true}},
    {"MellumForCausalLM",
     "mellum",
     read_decoder,
     {.qk_norm = QkNorm::shared, .needs = {"layer_types", "num_local_experts", "moe_intermediate_size"}}},
    {"MiMoV2FlashForCausalLM",
     "mimo_v2_flash",
     read_decoder,
     {.needs = {"layer_types", "n_routed_experts", "moe_intermediate_size"},
      .window_doubles_heads = true,
      .own_key = "swa_num_key_value_heads"}},
    {"NanoChatForCausalLM", "nanochat", read_decoder, {.gated = false, .norms = 0, .outer_norms = 0}},
    {"OlmoHybridForCausalLM",
     "olmo_hybrid",
     read_decoder,
     {.qk_norm = QkNorm::whole, .needs = {"layer_types"}}},
    {"VaultGemmaForCausalLM",
     "vaultgemma",
     read_decoder,
     {.tied = true, .windows = Windows::alternate, .head_dim = 256, .kv_heads = 4}},
    {"AriaTextForCausalLM", "aria_text", read_decoder, {.needs = {"moe_num_experts"}}},
    {"Apertus1p5TextForCausalLM",
     "apertus1p5_text",
     read_decoder,
     {.gated = false, .qk_norm = QkNorm::shared}},
    // Decoders that this engine runs, inside checkpoints that also see or with keys that it does not take.
    {"LlamaForCausalLM", "llama", read_decoder, kPlain},
    {"LLaMAForCausalLM", "llama", read_decoder, kPlain},
    {"MistralForCausalLM", "mistral", read_decoder, {.kv_heads = 8}},
    {"MixtralForCausalLM", "mixtral", read_decoder, {.kv_heads = 8, .needs = {"num_local_experts"}}},
    {"Qwen2ForCausalLM", "qwen2", read_decoder, kQkvBias},
    {"Qwen2MoeForCausalLM",
     "qwen2_moe",
     read_decoder,
     {.qkv_bias = true, .needs = {"num_experts", "moe_intermediate_size"}}},
    {"Qwen3ForCausalLM", "qwen3", read_decoder, kQkNorm},
    {"Qwen3MoeForCausalLM",
     "qwen3_moe",
     read_decoder,
     {.qk_norm = QkNorm::shared, .kv_heads = 4, .needs = {"num_experts", "moe_intermediate_size"}}},
    {"GemmaForCausalLM", "gemma", read_decoder, {.tied = true, .head_dim = 256}},
    {"Gemma2ForCausalLM",
     "gemma2",
     read_decoder,
     {.norms = 4, .tied = true, .windows = Windows::alternate, .head_dim = 256, .kv_heads = 4}},
    {"Gemma3ForCausalLM",
     "gemma3_text",
     read_decoder,
     {.norms = 4,
      .tied = true,
      .qk_norm = QkNorm::shared,
      .windows = Windows::pattern,
      .window_pattern = 6,
      .head_dim = 256,
      .kv_heads = 4}},
    {"Phi3ForCausalLM", "phi3", read_decoder, kPlain},
    {"GraniteForCausalLM", "granite", read_decoder, kPlain},
    {"CohereForCausalLM", "cohere", read_decoder, {.norms = 1, .tied = true}},
    {"Cohere2ForCausalLM",
     "cohere2",
     read_decoder,
     {.norms = 1, .tied = true, .windows = Windows::pattern, .window_pattern = 4}},
    {"SmolLM3ForCausalLM", "smollm3", read_decoder, {.tied = true, .kv_heads = 4}},
    // Language models under another name, beside a vision or audio tower.
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", read_decoder, kQkvBias},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", read_decoder, kQkvBiasOf8},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", read_decoder, kQkNorm},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", read_decoder, kQkNorm},
    {"Qwen3VLTextModel", "qwen3_vl_text", read_decoder, kQkNorm},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", read_decoder, kQkNorm},
    {"Qwen2_5_VLTextModel", "qwen2_5_vl_text", read_decoder, kQkvBiasOf8},
    {"Qwen2VLTextModel", "qwen2_vl_text", read_decoder, kQkvBias},
    {"Glm4vForConditionalGeneration", "glm4v", read_decoder, kGlm4},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", read_decoder, kQkvBiasOf8},
    {"Glm4vTextModel", "glm4v_text", read_decoder, kGlm4},
    {"Glm4vMoeTextModel", "glm4v_moe_text", read_decoder, kQkvBiasOf8},
};

/// Their language model is described by itself, under one of kNestedKeys.
constexpr std::string_view kWrappers[] = {
    "LlavaForConditionalGeneration",          "LlavaNextForConditionalGeneration",
    "LlavaOnevisionForConditionalGeneration", "InternVLChatModel",
    "InternVLForConditionalGeneration",       "Idefics3ForConditionalGeneration",
    "SmolVLMForConditionalGeneration",        "PaliGemmaForConditionalGeneration",
    "Gemma3ForConditionalGeneration",         "Mistral3ForConditionalGeneration",
    "PixtralForConditionalGeneration",        "VipLlavaForConditionalGeneration",
    "AyaVisionForConditionalGeneration",      "KimiVLForConditionalGeneration",
    "VoxtralForConditionalGeneration",        "Qwen2AudioForConditionalGeneration",
    "InternS1ForConditionalGeneration"};

/// Sizes by transformers' classes (configuration_llama.py, _mistral.py, _qwen2.py), which nested files leave
/// out: llava-hf/llava-1.5-7b-hf, mistral-community/pixtral-12b.
struct NestedDefaults {
  std::string_view model_type, config;
};
constexpr NestedDefaults kNestedDefaults[] = {
    {"llama", R"({"hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                  "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 2048})"},
    {"mistral", R"({"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
                    "sliding_window": 4096, "max_position_embeddings": 131072})"},
    {"qwen2", R"({"hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
                  "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 151936,
                  "max_position_embeddings": 32768})"}};

constexpr const char* kNestedKeys[] = {"text_config", "llm_config", "language_config"};

/// Layers whose state grows, or is shared, in a way that no LayerState has.
struct NotEstimated {
  std::string_view architecture, reason;
};
constexpr NotEstimated kNotEstimated[] = {
    {"DeepseekV4ForCausalLM", "keep one row for every 4 or 128 tokens beside a window"},
    {"HYV4ForCausalLM", "keep several residual streams and index keys that some layers share"},
    {"AXK2ForCausalLM", "pass norms whose gates its configuration does not size"},
    {"MiniMaxM3VLForCausalLM", "choose blocks of keys by an index whose cache engines lay out differently"},
    {"InklingForCausalLM", "mix windows with a convolution state whose size engines choose"},
    {"Inkling2ForCausalLM", "mix windows with a convolution state whose size engines choose"},
    {"Inkling2LoopForCausalLM", "run several times over and keep KV of each pass"},
    {"DoryForCausalLM", "run several times over and keep KV of each pass, or of the last alone"},
    {"HrmTextForCausalLM", "run several times over and keep KV of each pass"},
    {"ZayaForCausalLM", "attend to convolved keys beside a state of their own"},
    {"DogeForCausalLM", "keep a dynamic mask beside K and V"},
    {"BltForCausalLM", "work on patches of bytes whose number depends on the text"}};

}  // namespace

std::string_view why_not_estimated(std::string_view architecture) {
  for (const NotEstimated& each : kNotEstimated) {
    if (each.architecture == architecture) return each.reason;
  }
  return "";
}

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

std::string_view nested_defaults(std::string_view model_type) {
  for (const NestedDefaults& each : kNestedDefaults) {
    if (each.model_type == model_type) return each.config;
  }
  return "";
}

const json* nested_config(const json& config) {
  for (const char* key : kNestedKeys) {
    const auto found = config.find(key);
    if (found != config.end() && found->is_object()) return &*found;
  }
  return nullptr;
}

}  // namespace pitwall
