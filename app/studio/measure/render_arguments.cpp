#include "app/studio/measure/render_arguments.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace reelgrid::studio {

namespace {

constexpr std::array<std::string_view, 16> kNotOfTheRender{
    "output",         "attention_type", "attention_policy", "lockstep",
    "profile_output", "profile_wait",   "profile_warmup",   "profile_active",
    "save_inputs",    "input_dir",      "max_captures",     "max_capture_gib",
    "capture_module", "capture_layers", "capture_steps",    "num_repetitions"};

}  // namespace

QStringList renderArguments(const protocol::RenderRequest& request) {
    QStringList words;
    const nlohmann::json fields = nlohmann::json(protocol::toJson(request)),
                         usual = nlohmann::json(protocol::toJson(protocol::RenderRequest()));
    // No option takes an empty value for what not giving it means, but the prompt.
    const auto isLeftOut = [&](const std::string& key, const nlohmann::json& value) {
        return value == "" && key != "prompt" && usual.value(key, nlohmann::json()) == value;
    };
    for (const auto& [key, value] : fields.items()) {
        if (std::ranges::find(kNotOfTheRender, key) != kNotOfTheRender.end() || isLeftOut(key, value))
            continue;
        const QString option = "--" + QString::fromStdString(key).replace('_', '-');
        if (value.is_boolean()) {
            if (value.get<bool>()) words << option;
        } else if (value.is_string()) {
            const QString text = QString::fromStdString(value.get<std::string>());
            // An option's empty value stands alone; one that begins with a dash must not.
            if (text.isEmpty())
                words << option << text;
            else
                words << option + '=' + text;
        } else if (value.is_number()) {
            words << option + '=' + QString::fromStdString(value.dump());
        }
    }
    return words;
}

}  // namespace reelgrid::studio
