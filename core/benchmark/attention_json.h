#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/benchmark/attention_report.h"

namespace reelgrid::benchmark {

/// {"device", "rows": [{"kernel", "used", "dtype", "shape", "ms_p50", "ms_p95", "ms_kernel_p50", "tflops",
/// "cosine", "l1", "rmse", …}], …}: docs/guide/benchmarks.md. A row whose kernel couldn't run has "why". What
/// was not measured is absent; "ms_kernel_p50", which readers expect, is null then.
nlohmann::json asJson(const AttentionReport& report);

}  // namespace reelgrid::benchmark
