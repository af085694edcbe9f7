#pragma once

#include <string>

#include "core/benchmark/attention_report.h"

namespace reelgrid::benchmark {

/// One line a kernel and call under a line of heads: aiter's bench_cogvideo's columns, then ours. A cell is
/// empty where there is nothing to say, as INPUT_IDX and CALL_IDX of made-up inputs.
std::string asCsv(const AttentionReport& report);

}  // namespace reelgrid::benchmark
