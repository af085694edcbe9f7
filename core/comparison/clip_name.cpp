#include "core/comparison/clip_name.h"

#include <algorithm>
#include <cctype>

#include "core/protocol/attention_name.h"

namespace reelgrid::comparison {
namespace {

/// "wan2.1" → "wan"
std::string withoutVersion(const std::string& family) {
    const auto digit =
        std::ranges::find_if(family, [](unsigned char letter) { return std::isdigit(letter) != 0; });
    return {family.begin(), digit};
}

/// "ulysses8_ring1", as run_wan writes what it was given; it has no guidance parallel.
template <template <class> class Maybe>
std::string ranksIn(const protocol::RenderFields<Maybe>& fields) {
    return "ulysses" + std::to_string(fields.ulyssesDegree.value_or(1)) + "_ring" +
           (fields.ringDegree ? std::to_string(*fields.ringDegree) : "None") +
           (fields.cfgParallel.value_or(1) > 1 ? "_cfg" + std::to_string(*fields.cfgParallel) : "");
}

std::string nameOf(const families::ModelInfo& model, const std::string& task, const std::string& ranks,
                   bool compiled, const std::string& attention, int height, int width) {
    if (!model.clipPrefix.empty()) return model.clipPrefix + "_" + attention + ".mp4";
    return withoutVersion(model.family) + "_result_" + task + "_" + ranks + "_compile" +
           (compiled ? "True" : "False") + "_attn_" + attention + "_" + std::to_string(height) + "x" +
           std::to_string(width) + ".mp4";
}

}  // namespace

std::string clipName(const families::ModelInfo& model, const catalog::RenderSettings& settings) {
    return nameOf(model, settings.task, ranksIn(settings), settings.useTorchCompile, attentionName(settings),
                  settings.height, settings.width);
}

std::string clipName(const families::ModelInfo& model, const protocol::RenderRequest& request) {
    return nameOf(model, request.task.value_or("t2v"), ranksIn(request), request.useTorchCompile,
                  protocol::attentionName(request), request.height.value_or(0), request.width.value_or(0));
}

}  // namespace reelgrid::comparison
