#include "core/catalog/capture_choice.h"

#include <optional>

#include "core/catalog/denoising_steps.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::catalog {
namespace {

using protocol::ModuleKind;

constexpr const char* kAllKinds = "all";

/// As in a rule of an attention policy: "self" covers joint attention too.
Result<std::vector<ModuleKind>> kindsFrom(const std::string& name, const families::ModelInfo& model) {
    const std::optional<ModuleKind> selected = protocol::moduleKindFrom(name);
    std::vector<ModuleKind> kinds;
    std::string there;
    for (const ModuleKind kind : model.attentionKinds) {
        if ((selected || name == kAllKinds) && protocol::covers(selected, kind)) kinds.push_back(kind);
        there += std::string(protocol::nameOf(kind)) + ", ";
    }
    if (kinds.empty())
        return Error{ErrorCode::BadUsage,
                     "--capture-module " + name + ": one of " + there + kAllKinds + " was needed"};
    return kinds;
}

}  // namespace

Result<CaptureChoice> captureChoice(const RenderSettings& settings, const families::ModelInfo& model) {
    auto kinds = kindsFrom(settings.captureModule, model);
    if (!kinds) return kinds.error();
    auto layers = protocol::indicesFrom(settings.captureLayers, "layer", model.layers);
    if (!layers) return layers.error().in("--capture-layers");
    auto steps = protocol::indicesFrom(settings.captureSteps, "step", denoisingSteps(settings, model));
    if (!steps) return steps.error().in("--capture-steps");
    return CaptureChoice{*std::move(kinds), *std::move(layers), *std::move(steps)};
}

}  // namespace reelgrid::catalog
