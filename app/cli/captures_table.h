#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/capture/attention_map.h"
#include "core/capture/captured_call.h"
#include "core/capture/kept_blocks.h"
#include "core/capture/tensor_statistics.h"

namespace reelgrid::cli {

/// One line a capture; with the shares that a map keeps of each, where one was asked for.
std::string capturesTable(const std::vector<capture::CapturedCall>& calls,
                          const std::vector<std::optional<capture::KeptShares>>& kept);

/// What a head's map keeps, in words.
std::string keptText(const capture::KeptBlocks& blocks);

/// The statistics of one capture's q, k and v.
struct CaptureStatistics {
    capture::TensorStatistics q, k, v;
};
std::string statisticsTable(const CaptureStatistics& statistics);

}  // namespace reelgrid::cli
