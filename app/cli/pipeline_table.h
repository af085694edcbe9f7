#pragma once

#include <string>
#include <vector>

#include "core/benchmark/pipeline_baseline.h"

namespace reelgrid::cli {

/// For a person: the machine, the render, one line a stage.
std::string pipelineTable(const benchmark::PipelineReport& report);

/// For a person: one line a stage, then and now.
std::string changeTable(const std::vector<benchmark::StageChange>& changes,
                        const benchmark::PipelineBaseline& then, double maxLoss);

/// "denoise +12.3 %, step +12.1 %"
std::string lostStages(const std::vector<benchmark::StageChange>& changes);

}  // namespace reelgrid::cli
