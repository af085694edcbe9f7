#include "core/comparison/phase_table.h"

#include <algorithm>

#include "core/base/byte_count.h"
#include "core/base/number_text.h"

namespace reelgrid::comparison {
namespace {

constexpr std::size_t kNameWidth = 12, kTimeWidth = 12;

std::string right(const std::string& text) {
    return std::string(kTimeWidth - std::min(kTimeWidth, text.size()), ' ') + text;
}

std::string row(std::string name, const std::string& perFrame, const std::string& total) {
    name.resize(std::max(name.size(), kNameWidth), ' ');
    return name + right(perFrame) + right(total);
}

std::string timeRow(const std::string& name, double seconds, int frames) {
    const std::string perFrame = frames > 0 ? fixed(seconds / frames, 3) + " s" : "";
    return row(name, perFrame, fixed(seconds, 2) + " s");
}

}  // namespace

std::vector<std::string> phaseTable(const result::Timing& timing, const RenderedAmounts& amounts) {
    std::vector<std::string> lines{row("phase", "a frame", "total")};
    for (const auto& [stage, seconds] : timing.stages)
        if (result::kindOf(stage) == result::StageKind::Render)
            lines.push_back(timeRow(stage, seconds, amounts.frames));
    lines.push_back(timeRow("all", timing.renderSeconds(), amounts.frames));
    std::string memory;
    const auto add = [&](const char* what, std::uint64_t bytes) {
        if (bytes > 0) memory += (memory.empty() ? "" : ", ") + std::string(what) + " " + byteCount(bytes);
    };
    add("latents", amounts.latentBytes);
    add("weights", amounts.weightBytes);
    add("memory at most", timing.peakOfRender().value_or(0));
    if (!memory.empty()) lines.push_back(memory);
    return lines;
}

}  // namespace reelgrid::comparison
