#pragma once

#include <string>
#include <vector>

#include "core/capture/attention_map.h"
#include "core/capture/captured_call.h"
#include "core/capture/tensor_statistics.h"

namespace reelgrid::cli {

/// One line a capture.
std::string capturesTable(const std::vector<capture::CapturedCall>& calls);

/// The statistics of one capture's q, k and v.
struct CaptureStatistics {
    capture::TensorStatistics q, k, v;
};
std::string statisticsTable(const CaptureStatistics& statistics);

}  // namespace reelgrid::cli
