// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/warpgroup_prefill.cuh"

PITWALL_WARPGROUP_PREFILL_OF(pitwall::KvDtype::fp8_e4m3)
