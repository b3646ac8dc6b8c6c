# SPDX-License-Identifier: GPL-3.0-or-later
# Writes blocks.safetensors: random blocks of each GGUF type and the numbers that the `gguf` package (0.17 or later,
# PyPI) makes of them. Needs gguf, numpy and safetensors.
import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from safetensors.numpy import save_file

# Where the float16 numbers of a block stand: they must be finite.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
          "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": []}

random = np.random.default_rng(7)
tensors = {}
for name, halves in HALVES.items():
    kind = GGMLQuantizationType[name]
    elements, size = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (1024 // elements, size), dtype=np.uint8)
    for at in halves:
        blocks[:, at + 1] &= 0xBB
    if name == "MXFP4":
        blocks[:, 0] = [0, 1, 2, 3] + list(random.integers(90, 160, len(blocks) - 4))
    tensors[name + ".blocks"] = blocks
    tensors[name + ".values"] = dequantize(blocks, kind).astype(np.float32)
save_file(tensors, "blocks.safetensors")
