#include "core/models/wan/family_model.h"

#include <array>

#include "core/models/wan/memory_forecast.h"
#include "core/models/wan/parameter_check.h"
#include "core/models/wan/video_model.h"

namespace reelgrid::models::wan {
namespace {

constexpr std::array<std::string_view, 5> kFamilies{"wan2.1", "wan2.1-i2v", "wan2.2", "wan2.2-i2v",
                                                    "wan2.2-ti2v"};

}  // namespace

denoising::FamilyModel familyModel() {
    return {.families = kFamilies,
            .load = [](const families::ModelInfo& model,
                       const denoising::LoadOptions& options) { return loadVideoModel(model, options); },
            .forecast = forecastMemory,
            .work = passWork,
            .checks = componentChecks};
}

}  // namespace reelgrid::models::wan
