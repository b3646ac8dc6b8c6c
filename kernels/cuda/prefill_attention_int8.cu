// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/prefill_attention.cuh"

PITWALL_PREFILL_OF(pitwall::KvDtype::int8)
