#include "core/pipeline/family_registry.h"

#include <array>

#include "core/base/result.h"
#include "core/models/wan/video_model.h"

namespace reelgrid::pipeline {
namespace {

struct Family {
    const char* name;
    std::unique_ptr<VideoModel> (*load)(const catalog::ModelInfo& model, at::ScalarType dtype);
};

/// One line a model family.
constexpr std::array kFamilies{
    Family{"wan2.1", models::wan::loadVideoModel},
};

at::ScalarType scalarTypeOf(const std::string& dtype) {
    return dtype == "bf16" ? at::kBFloat16 : at::kFloat;
}

}  // namespace

std::unique_ptr<VideoModel> loadModel(const catalog::ModelInfo& model, const std::string& dtype) {
    for (const Family& family : kFamilies)
        if (model.family == family.name) return family.load(model, scalarTypeOf(dtype));
    throw Failure(ErrorCode::Unsupported, "model " + model.id + ": family " + model.family + " can't be run");
}

}  // namespace reelgrid::pipeline
