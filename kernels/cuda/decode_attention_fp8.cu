// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/decode_launch.cuh"

PITWALL_DECODE_OF(pitwall::KvDtype::fp8_e4m3)
