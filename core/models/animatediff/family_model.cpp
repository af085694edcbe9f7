#include "core/models/animatediff/family_model.h"

#include <array>

#include "core/models/animatediff/video_model.h"

namespace reelgrid::models::animatediff {
namespace {

constexpr std::array<std::string_view, 1> kFamilies{"animatediff"};

}  // namespace

denoising::FamilyModel familyModel() {
    return {
        .families = kFamilies, .load = loadVideoModel, .forecast = forecastMemory, .checks = componentChecks};
}

}  // namespace reelgrid::models::animatediff
