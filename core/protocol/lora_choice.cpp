#include "core/protocol/lora_choice.h"

#include <charconv>
#include <cmath>

#include "core/base/one_line.h"

namespace reelgrid::protocol {
namespace {

constexpr double kMostScale = 100;
constexpr const char* kExtension = ".safetensors";

}  // namespace

Result<LoraChoice> LoraChoice::from(const std::string& text, const std::string& option) {
    LoraChoice choice{.file = text};
    const auto wrong = [&](const std::string& needed) {
        return Error{ErrorCode::BadUsage, option + " " + inOneLine(text) + ": " + needed + " was needed"};
    };
    if (const auto colon = text.rfind(':'); colon != text.npos && !text.ends_with(kExtension)) {
        const char *first = text.data() + colon + 1, *end = text.data() + text.size();
        const auto read = std::from_chars(first, end, choice.scale);
        if (read.ec != std::errc() || read.ptr != end || !(std::abs(choice.scale) <= kMostScale))
            return wrong("FILE or FILE:SCALE with a scale from -100 to 100");
        choice.file.resize(colon);
    }
    if (choice.file.empty() || !choice.file.ends_with(kExtension)) return wrong("a .safetensors file");
    return choice;
}

std::string LoraChoice::text() const {
    if (scale == 1) return file;
    char digits[32];
    const auto written = std::to_chars(std::begin(digits), std::end(digits), scale);
    return file + ":" + std::string(digits, written.ptr);
}

}  // namespace reelgrid::protocol
