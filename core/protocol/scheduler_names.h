#pragma once

#include <array>
#include <string>
#include <string_view>

namespace reelgrid::protocol {

enum class SchedulerKind { UniPC, FlowMatchEuler, CogVideoXDdim, CogVideoXDpm };

/// One sampler under its two names: what requests say, and the class in a checkpoint's scheduler_config.json.
struct SchedulerName {
    SchedulerKind kind;
    const char* option;
    const char* className;
};

/// Every sampler there is. A row here without a case in makeScheduler() doesn't compile.
inline constexpr std::array kSchedulerNames{
    SchedulerName{SchedulerKind::UniPC, "unipc", "UniPCMultistepScheduler"},
    SchedulerName{SchedulerKind::FlowMatchEuler, "euler", "FlowMatchEulerDiscreteScheduler"},
    SchedulerName{SchedulerKind::CogVideoXDdim, "ddim", "CogVideoXDDIMScheduler"},
    SchedulerName{SchedulerKind::CogVideoXDpm, "dpm", "CogVideoXDPMScheduler"},
};

inline const SchedulerName* schedulerOfOption(std::string_view option) {
    for (const SchedulerName& name : kSchedulerNames)
        if (name.option == option) return &name;
    return nullptr;
}

inline const SchedulerName* schedulerOfClass(std::string_view className) {
    for (const SchedulerName& name : kSchedulerNames)
        if (name.className == className) return &name;
    return nullptr;
}

/// "unipc or euler or ddim or dpm", for help and messages.
inline std::string schedulerOptions() {
    std::string text;
    for (const SchedulerName& name : kSchedulerNames)
        text += (text.empty() ? "" : " or ") + std::string(name.option);
    return text;
}

}  // namespace reelgrid::protocol
