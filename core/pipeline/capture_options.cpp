#include "core/pipeline/capture_options.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/catalog/capture_choice.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::pipeline {

namespace fs = std::filesystem;
using capture::CaptureOptions;
using protocol::GuidanceBranch;

fs::path captureFolder(const catalog::RenderSettings& settings) {
    return settings.inputDir.empty() ? protocol::kCapturesFolder : settings.inputDir;
}

CaptureOptions captureOptions(const catalog::RenderSettings& settings, const families::ModelInfo& model,
                              const fs::path& clip, const execution::Execution& execution) {
    catalog::CaptureChoice choice = catalog::captureChoice(settings, model).value();
    std::vector<GuidanceBranch> branches{GuidanceBranch::Conditional};
    if (model.takes("guidance_scale") && settings.guidanceScale > 1 && settings.cfgParallel.value_or(1) == 1)
        branches.push_back(GuidanceBranch::Unconditional);
    constexpr double kGiB = double(std::uint64_t{1} << 30);
    return {.folder = protocol::resultFolderOf(clip) / captureFolder(settings),
            .kind = settings.inputDir.empty() ? CaptureOptions::Folder::OfOneClip
                                              : CaptureOptions::Folder::Shared,
            .extent = {std::move(choice.steps), std::move(branches), std::move(choice.layers),
                       std::move(choice.kinds)},
            .maxCaptures = static_cast<std::size_t>(settings.maxCaptures),
            .maxBytes = static_cast<std::uint64_t>(std::ceil(settings.maxCaptureGib * kGiB)),
            .source = {.kernel = attentionName(settings),
                       .model = model.id,
                       .settings = printJson(protocol::fieldsJson(settings)),
                       .rank = execution.rank,
                       .ranks = execution.ranks}};
}

}  // namespace reelgrid::pipeline
