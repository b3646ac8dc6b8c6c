# SPDX-License-Identifier: GPL-3.0-or-later
# Writes linears.safetensors and linears.json: small quantised linears in the layouts of AutoAWQ, AutoGPTQ (GPTQModel),
# fp8 and compressed-tensors checkpoints, and their numbers, packed here from the codes. Needs numpy and safetensors.
# bfloat16 scales are written as such through the header; ml_dtypes gives numpy the types.
import json

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

random = np.random.default_rng(11)
tensors, configs = {}, {}


def words(codes, bits, axis):
    """Packs codes along an axis into int32, the first lowest, filled up with zeros."""
    per = 32 // bits
    codes = np.moveaxis(codes.astype(np.uint64), axis, -1)
    codes = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, -codes.shape[-1] % per)])
    codes = codes.reshape(*codes.shape[:-1], -1, per)
    packed = (codes << (np.arange(per, dtype=np.uint64) * np.uint64(bits))).sum(axis=-1).astype(np.uint32)
    return np.ascontiguousarray(np.moveaxis(packed.view(np.int32), -1, axis))


def awq_words(codes):
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    return words(codes.reshape(len(codes), -1, 8)[:, :, order].reshape(len(codes), -1), 4, 1)


def add(name, config, parts, expected):
    configs[name] = {"config": config, "rows": expected.shape[0], "columns": expected.shape[1]}
    for part, value in parts.items():
        tensors[f"{name}.{part}"] = np.ascontiguousarray(value)
    tensors[f"{name}.expected"] = expected.astype(np.float32)


def group_parts(rows, columns, group, bits, dtype):
    size = columns if group == -1 else group
    groups = -(-columns // size)
    codes = random.integers(0, 2**bits, (rows, columns))
    scales = (random.random((rows, groups)) * 0.02 + 0.005).astype(dtype)
    zeros = random.integers(1, 2**bits, (rows, groups))
    return codes, scales, zeros, np.arange(columns) // size


def numbers(codes, scales, zeros, of):
    return scales.astype(np.float32)[:, of] * (codes - zeros[:, of]).astype(np.float32)


def awq(name, group, rows=8, columns=128, dtype=np.float16, zero_point=True):
    codes, scales, zeros, of = group_parts(rows, columns, group, 4, dtype)
    if not zero_point:
        zeros[:] = 8
    parts = {"qweight": awq_words(codes.T), "scales": scales.T}
    if zero_point:
        parts["qzeros"] = awq_words(zeros.T)
    config = {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm", "zero_point": zero_point}
    add(name, config, parts, numbers(codes, scales, zeros, of))


def gptq(name, group, bits=4, order=None, rows=8, columns=128, dtype=np.float16, version="gptq"):
    codes, scales, zeros, of = group_parts(rows, columns, group, bits, dtype)
    if order == "shuffled":
        of = random.permutation(of)
    if order == "uneven":
        of = random.integers(0, scales.shape[1], columns)
    stored = zeros - (1 if version == "gptq" else 0)
    parts = {"qweight": words(codes.T, bits, 0), "scales": scales.T, "qzeros": words(stored.T, bits, 1)}
    if order is not None:
        parts["g_idx"] = of.astype(np.int32)
    config = {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": order == "shuffled", "sym": False,
              "checkpoint_format": version}
    add(name, config, parts, numbers(codes, scales, zeros, of))


def compressed(name, weights, fmt, parts, expected):
    config = {"quant_method": "compressed-tensors", "format": fmt,
              "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}
    add(name, config, parts, expected)


def packed(name, group, bits=4, symmetric=True, order=False, rows=8, columns=128, dtype=ml_dtypes.bfloat16):
    codes, scales, zeros, of = group_parts(rows, columns, group, bits, dtype)
    if symmetric:
        zeros[:] = 2 ** (bits - 1)
    if order:
        of = random.permutation(of)
    parts = {"weight_packed": words(codes, bits, 1), "weight_scale": scales,
             "weight_shape": np.array([rows, columns], dtype=np.int64)}
    if not symmetric:
        parts["weight_zero_point"] = words(zeros, bits, 0)
    if order:
        parts["weight_g_idx"] = of.astype(np.int32)
    weights = {"num_bits": bits, "type": "int", "symmetric": symmetric,
               "strategy": "channel" if group == -1 else "group", "group_size": None if group == -1 else group}
    compressed(name, weights, "pack-quantized", parts, numbers(codes, scales, zeros, of))


def fp8_codes(rows, columns):
    return (random.standard_normal((rows, columns)) * 20).astype(ml_dtypes.float8_e4m3fn)


for group in (16, 32, 64, 128, -1):
    awq(f"awq-{group}", group)
awq("awq-bfloat", 64, rows=24, dtype=ml_dtypes.bfloat16)
awq("awq-no-zero", 64, zero_point=False)
awq("awq-1024", 1024, rows=8, columns=1024)
for group in (64, -1):
    for order in (None, "shuffled", "trivial"):
        gptq(f"gptq-{group}-{order or 'plain'}", group, order=order)
gptq("gptq-uneven", 32, order="uneven")
gptq("gptq-8bit", 32, bits=8)
gptq("gptq-v2", 64, version="gptq_v2", dtype=np.float32)
gptq("gptq-ragged", 48, columns=160)
packed("packed-group", 64)
packed("packed-zeros", 32, symmetric=False)
packed("packed-channel-odd", -1, columns=100, dtype=np.float32)
packed("packed-8bit", 64, bits=8, symmetric=False)
packed("packed-order", 32, rows=24, order=True)

codes = random.integers(-128, 128, (8, 96)).astype(np.int8)
scales = (random.random((8, 1)) * 0.01 + 0.001).astype(np.float32)
zeros = random.integers(-128, 128, (8, 1)).astype(np.int8)
int8 = {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": False}
compressed("int8-channel", int8, "int-quantized", {"weight": codes, "weight_scale": scales, "weight_zero_point": zeros},
           scales * (codes.astype(np.float32) - zeros.astype(np.float32)))

fp8 = {"quant_method": "fp8", "activation_scheme": "static"}
codes = fp8_codes(8, 100)
scale = np.array(0.0123, dtype=np.float32)
add("fp8-tensor", fp8, {"weight": codes, "weight_scale": scale}, codes.astype(np.float32) * scale)
codes = fp8_codes(40, 160)
scales = (random.random((3, 3)) * 0.01 + 0.001).astype(ml_dtypes.bfloat16)
spread = np.repeat(np.repeat(scales.astype(np.float32), 16, axis=0), 64, axis=1)[:40, :160]
add("fp8-blocks", fp8 | {"weight_block_size": [16, 64]}, {"weight": codes, "weight_scale_inv": scales},
    codes.astype(np.float32) * spread)
codes = fp8_codes(8, 96)
scales = (random.random((8, 1)) * 0.01 + 0.001).astype(np.float32)
add("fbgemm-rows", {"quant_method": "fbgemm_fp8"}, {"weight": codes, "weight_scale": scales}, codes.astype(np.float32) * scales)
float8 = {"num_bits": 8, "type": "float", "strategy": "channel"}
bfloats = scales.astype(ml_dtypes.bfloat16)
compressed("fp8-channel", float8, "float-quantized", {"weight": codes, "weight_scale": bfloats},
           codes.astype(np.float32) * bfloats.astype(np.float32))
compressed("fp8-naive", float8 | {"strategy": "tensor"}, "naive-quantized",
           {"weight": codes, "weight_scale": np.array([0.5], dtype=np.float16)}, codes.astype(np.float32) * np.float32(0.5))

save_file(tensors, "linears.safetensors")
with open("linears.json", "w") as file:
    json.dump(configs, file, indent=1)
