#include "app/cli/script_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "core/catalog/render_settings.h"
#include "core/families/family.h"

namespace reelgrid::cli {
namespace {

constexpr const char* kGroup = "As TurboDiffusion's scripts have them";

/// --attention_type where nothing else is said.
constexpr const char* kUsualBackend = "sagesla";

/// VIDEO_RES_SIZE_INFO of rcm/datasets/utils.py.
struct NamedSize {
    std::string_view resolution, aspectRatio;
    int width, height;
};
constexpr std::array kSizes{
    NamedSize{"480p", "16:9", 832, 480},  NamedSize{"480p", "9:16", 480, 832},
    NamedSize{"480p", "4:3", 640, 480},   NamedSize{"480p", "3:4", 480, 640},
    NamedSize{"480p", "1:1", 640, 640},   NamedSize{"720p", "16:9", 1280, 720},
    NamedSize{"720p", "9:16", 720, 1280}, NamedSize{"720p", "4:3", 960, 720},
    NamedSize{"720p", "3:4", 720, 960},   NamedSize{"720p", "1:1", 960, 960},
};

/// The different values of a column, as a sentence has them.
std::string oneOf(std::string_view NamedSize::*column) {
    std::string names;
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
        const std::string_view name = kSizes[i].*column;
        const auto same = [&](const NamedSize& size) { return size.*column == name; };
        if (std::find_if(kSizes.begin(), kSizes.end(), same) == kSizes.begin() + std::ptrdiff_t(i))
            names.append(names.empty() ? "" : ", ").append(name);
    }
    return "one of " + names;
}

Error wrong(const std::string& option, const std::string& value, const std::string& needed) {
    return {ErrorCode::BadUsage, option + " " + value + ": " + needed + " was needed"};
}

}  // namespace

void ScriptOptions::addTo(CLI::App& command) {
    m_command = &command;
    const auto text = [&](const char* name, std::optional<std::string>& target, const char* help) {
        command
            .add_option_function<std::string>(
                name, [&target](const std::string& value) { target = value; }, help)
            ->group(kGroup);
    };
    text("--dit-path", m_transformer, "File of the transformer; --model then is the name of its size alone");
    text("--resolution", m_resolution, "480p or 720p, in the place of --width and --height");
    text("--aspect-ratio", m_aspectRatio, "16:9, 9:16, 4:3, 3:4 or 1:1 (default: 16:9)");
    command
        .add_option("--num-samples", m_samples,
                    "Clips to render, each with the next seed, which is in its name then")
        ->group(kGroup);
    command.add_flag("--ode", m_ode, "--scheduler rcm-ode")->group(kGroup);
    command.add_flag("--quant-linear", m_quantLinear, "--linear int8")->group(kGroup);
    command
        .add_flag("--adaptive-resolution", m_adaptiveResolution,
                  "Keep the picture's shape, as is usual here; without it --dit-path cuts the picture")
        ->group(kGroup);
    command.add_flag("--default-norm", m_defaultNorm, "Changes nothing: norms are the same sums either way")
        ->group(kGroup);
}

bool ScriptOptions::isGiven(const char* option) const {
    const CLI::Option* found = m_command == nullptr ? nullptr : m_command->get_option_no_throw(option);
    return found != nullptr && found->count() > 0;
}

std::string ScriptOptions::backendOf(const std::string& attentionType) const {
    if (!isScript()) return attentionType;
    const bool isOption = m_command->get_option_no_throw("--attention-type") != nullptr;
    if (isOption && !isGiven("--attention-type")) return kUsualBackend;
    return attentionType == "original" ? protocol::kDefaultBackend : attentionType;
}

Result<void> ScriptOptions::apply(protocol::RenderRequest& request) const {
    if (isScript())
        if (auto named = nameTransformer(request); !named) return named;
    if (auto chosen = chooseSize(request); !chosen) return chosen;
    if (m_samples < 1 || m_samples > m_mostSamples)
        return wrong("--num-samples", std::to_string(m_samples),
                     m_mostSamples == 1 ? "1 (render makes several)"
                                        : "a number from 1 to " + std::to_string(m_mostSamples));
    if (m_quantLinear && request.linear != protocol::kLinearAuto && request.linear != protocol::kLinearInt8)
        return Error{ErrorCode::BadUsage,
                     "--quant-linear: --linear is " + request.linear + ", one of the two was needed"};
    if (m_quantLinear) request.linear = protocol::kLinearInt8;
    if (!m_ode) return {};
    constexpr const char* kOde = "rcm-ode";
    if (request.scheduler && *request.scheduler != kOde)
        return Error{ErrorCode::BadUsage,
                     "--ode: --scheduler is " + *request.scheduler + ", one of the two was needed"};
    request.scheduler = kOde;
    return {};
}

std::vector<std::string> ScriptOptions::idleOptions(const catalog::RenderSettings& settings) const {
    if (!m_adaptiveResolution) return {};
    const std::string idle = "--adaptive-resolution decides nothing here: ";
    if (!settings.imgFilePath) return {idle + "there is no picture"};
    if (settings.pictureFit != protocol::kKeepShape)
        return {idle + "--picture-fit is " + settings.pictureFit};
    return {};
}

Result<void> ScriptOptions::nameTransformer(protocol::RenderRequest& request) const {
    std::string names;
    bool isKnown = false;
    for (const families::Family& family : families::families())
        for (const std::string_view name : family.scriptNames) {
            names.append(names.empty() ? "" : ", ").append(name);
            isKnown = isKnown || request.model == name;
        }
    if (isGiven("--model") && !isKnown)
        return wrong("--model", request.model, "beside --dit-path one of " + names);
    request.model = *m_transformer;
    if (!isGiven("--seed")) request.seed = 0;
    if (request.imgFilePath && !m_adaptiveResolution) request.forceOutputSize = true;
    return {};
}

Result<void> ScriptOptions::chooseSize(protocol::RenderRequest& request) const {
    if (!m_resolution && !m_aspectRatio) return {};
    if (request.width || request.height)
        return Error{ErrorCode::BadUsage,
                     std::string(m_resolution ? "--resolution" : "--aspect-ratio") +
                         ": --width or --height is given, too; one of the two was needed"};
    const std::string resolution = m_resolution.value_or(request.imgFilePath ? "720p" : "480p"),
                      ratio = m_aspectRatio.value_or("16:9");
    bool isKnown = false;
    for (const NamedSize& size : kSizes) {
        isKnown = isKnown || size.resolution == resolution;
        if (size.resolution != resolution || size.aspectRatio != ratio) continue;
        request.width = size.width;
        request.height = size.height;
        return {};
    }
    if (!isKnown) return wrong("--resolution", resolution, oneOf(&NamedSize::resolution));
    return wrong("--aspect-ratio", ratio, oneOf(&NamedSize::aspectRatio));
}

}  // namespace reelgrid::cli
