#include "core/attention/call_settings.h"

#include <algorithm>

#include "core/protocol/backend_option.h"
#include "kernels/backends/backend_list.h"
#include "kernels/backends/option_bounds.h"

namespace reelgrid::attention {
namespace {

std::vector<kernels::OptionValue> defaultsOf(const kernels::BackendInfo* backend) {
    std::vector<kernels::OptionValue> values;
    if (backend != nullptr)
        for (const kernels::BackendOption& option : backend->options())
            values.push_back({option.key, option.value});
    return values;
}

}  // namespace

Result<BackendOptions> BackendOptions::create(const std::vector<std::string>& texts) {
    BackendOptions options;
    for (const std::string& text : texts) {
        const auto choice = protocol::BackendOptionChoice::from(text);
        if (!choice) return choice.error();
        const kernels::BackendInfo* backend = kernels::findBackend(choice->backend);
        if (backend == nullptr)
            return Error{ErrorCode::BadUsage, "--backend-option " + text + ": backend " + choice->backend +
                                                  ": one of " + kernels::backendNames() + " was needed"};
        const auto why =
            kernels::whyNotSetting(choice->backend, backend->options(), choice->key, choice->value);
        if (why)
            return Error{ErrorCode::BadUsage, "--backend-option " + text + ": " + choice->backend + *why};
        auto& values = options.m_values.try_emplace(choice->backend, defaultsOf(backend)).first->second;
        const auto same = std::ranges::find(values, choice->key, &kernels::OptionValue::key);
        if (same != values.end())
            same->value = choice->value;
        else  // of some layers
            values.push_back({choice->key, choice->value});
    }
    return options;
}

std::span<const kernels::OptionValue> BackendOptions::of(std::string_view backend) const {
    auto found = m_values.find(backend);
    if (found == m_values.end())
        found = m_values.emplace(backend, defaultsOf(kernels::findBackend(backend))).first;
    return found->second;
}

}  // namespace reelgrid::attention
