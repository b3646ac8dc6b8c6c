# SPDX-License-Identifier: GPL-3.0-or-later
"""Small checkpoints with random weights and what transformers makes of them in float32.

    python make_checkpoints.py FOLDER [NAME …]

Made with transformers 5.17.0 and torch 2.6.0 on a CPU. config.json says float32, so that rotary frequencies are not
rounded when the folder is loaded; attention is "eager", which honours soft caps.
"""
import json, os, sys, shutil
import torch
from safetensors.torch import save_file
import transformers
from transformers import AutoModelForCausalLM

COMMON = dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=0)
OLD = "old"   # config.json in the older style

def factors(seed, n, low, high):
    g = torch.Generator().manual_seed(seed)
    return [round(x, 3) for x in (torch.rand(n, generator=g) * (high - low) + low).tolist()]

CASES = {
  "gemma2-softcaps": ("Gemma2", dict(head_dim=16, sliding_window=16, query_pre_attn_scalar=24, attn_logit_softcapping=5.0, final_logit_softcapping=4.0), {}),
  "gemma1": ("Gemma", dict(head_dim=20, num_key_value_heads=1), {OLD}),
  "gemma3-linear": ("Gemma3Text", dict(head_dim=16, sliding_window=16, sliding_window_pattern=3, query_pre_attn_scalar=10, num_hidden_layers=4, rope_parameters={"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}), {OLD}),
  "granite-multipliers": ("Granite", dict(embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22, attention_multiplier=0.15, tie_word_embeddings=True), {}),
  "cohere-qk-norm": ("Cohere", dict(use_qk_norm=True, logit_scale=0.25), {}),
  "cohere2-nope": ("Cohere2", dict(sliding_window=16, sliding_window_pattern=3, logit_scale=0.25, num_hidden_layers=4), {}),
  "qwen2-moe-shared": ("Qwen2Moe", dict(moe_intermediate_size=32, shared_expert_intermediate_size=48, num_experts=6, num_experts_per_tok=3, norm_topk_prob=False, mlp_only_layers=[1]), {}),
  "qwen3-moe-sparse": ("Qwen3Moe", dict(head_dim=16, moe_intermediate_size=32, num_experts=8, num_experts_per_tok=2, norm_topk_prob=False, decoder_sparse_step=2, num_hidden_layers=4), {}),
  "smollm3-nope": ("SmolLM3", dict(no_rope_layer_interval=3, use_sliding_window=False, layer_types=None), {}),
  "llama-yarn": ("Llama", dict(head_dim=24, rope_parameters={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "rope_theta": 10000.0, "beta_fast": 16.0}), {OLD}),
  "llama-linear-mqa": ("Llama", dict(hidden_size=28, num_attention_heads=7, num_key_value_heads=1, head_dim=20, rope_parameters={"rope_type": "linear", "factor": 2.5, "rope_theta": 10000.0}), {OLD}),
  "llama-dynamic": ("Llama", dict(num_key_value_heads=4, rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}), {}),
  "llama-biases": ("Llama", dict(attention_bias=True, mlp_bias=True, num_attention_heads=4, num_key_value_heads=1, head_dim=24), {}),
  "qwen2-windows": ("Qwen2", dict(use_sliding_window=True, sliding_window=16, max_window_layers=1), {}),
  "phi3-longrope": ("Phi3", dict(original_max_position_embeddings=48, max_position_embeddings=256, rope_parameters={"rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "short_factor": factors(1, 2, 1.0, 1.5), "long_factor": factors(2, 2, 1.0, 9.0)}, tie_word_embeddings=True), {OLD}),
  "mistral-yarn": ("Mistral", dict(head_dim=16, sliding_window=None, rope_parameters={"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 16, "rope_theta": 1e6, "mscale": 1.0, "mscale_all_dim": 0.5, "truncate": False}), {}),
}

def old_style(c, family):
    rope = c.pop("rope_parameters")
    if "full_attention" in rope:
        c["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
        rope = rope["full_attention"]
    c["rope_theta"] = rope.pop("rope_theta")
    if "partial_rotary_factor" in rope:
        c["partial_rotary_factor"] = rope.pop("partial_rotary_factor")
    if family == "Phi3":
        rope.pop("original_max_position_embeddings", None)
    kind = rope.pop("rope_type")
    c["rope_scaling"] = None if kind == "default" else {"rope_type" if family.startswith("Gemma3") else "type": kind, **rope}
    c["torch_dtype"] = c.pop("dtype")
    c.pop("layer_types", None)

def main(out, only):
    for index, (name, (family, extra, flags)) in enumerate(CASES.items()):
        if only and name not in only: continue
        folder = os.path.join(out, name)
        shutil.rmtree(folder, ignore_errors=True)
        config_class = getattr(transformers, family + "Config")
        values = {**COMMON, **extra}
        if "layer_types" in values and values["layer_types"] is None: values.pop("layer_types")
        config = config_class(**values)
        model_class = getattr(transformers, family.replace("Text", "") + "ForCausalLM")
        torch.manual_seed(100 + index)
        model = model_class(config)
        with torch.no_grad():
            for key, p in model.named_parameters():
                if p.dim() == 1 and key.endswith("norm.weight") or "layernorm" in key or ("norm" in key and p.dim() <= 2):
                    base = 0.0 if family.startswith("Gemma") else 1.0
                    p.copy_(base + 0.3 * torch.randn_like(p))
                elif key.endswith("bias"):
                    p.copy_(0.3 * torch.randn_like(p))
                else:
                    p.copy_(torch.randn_like(p) * (1.2 / p.shape[-1] ** 0.5))
        model = model.to(torch.bfloat16)
        model.save_pretrained(folder)
        path = os.path.join(folder, "config.json")
        c = json.load(open(path))
        c["dtype"] = "float32"
        if OLD in flags: old_style(c, family)
        json.dump(c, open(path, "w"), indent=1)
        if os.path.exists(os.path.join(folder, "generation_config.json")): os.remove(os.path.join(folder, "generation_config.json"))

        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        assert not [k for k, p in model.named_parameters() if p.dtype != torch.float32]
        g = torch.Generator().manual_seed(7)
        prompts = [torch.randint(3, COMMON["vocab_size"], (n,), generator=g).tolist() for n in (1, 9, 40, 70)]
        logits, greedy = {}, []
        with torch.no_grad():
            for i, prompt in enumerate(prompts):
                logits[f"logits.{i}"] = model(torch.tensor([prompt]), use_cache=False).logits[0].float().contiguous()
                ids = list(prompt)
                for _ in range(24):
                    ids.append(int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax()))
                greedy.append(ids[len(prompt):])
        save_file(logits, os.path.join(folder, "expected.safetensors"))
        json.dump({"tokens": prompts, "greedy": greedy, "transformers": transformers.__version__},
                  open(os.path.join(folder, "expected.json"), "w"))
        size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
        print(name, size, sorted(os.listdir(folder)), "std", float(logits["logits.2"].std()))

main(sys.argv[1], sys.argv[2:])
