#include "core/models/cogvideox/family_model.h"

#include <array>

#include "core/models/cogvideox/memory_forecast.h"
#include "core/models/cogvideox/video_model.h"

namespace reelgrid::models::cogvideox {
namespace {

constexpr std::array<std::string_view, 2> kFamilies{"cogvideox", "cogvideox-i2v"};

}  // namespace

denoising::FamilyModel familyModel() {
    return {
        .families = kFamilies,
        .load = loadVideoModel,
        .forecast = forecastMemory,
    };
}

}  // namespace reelgrid::models::cogvideox
