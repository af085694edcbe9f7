#include "core/comparison/origin_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/comparison/clip_origin.h"
#include "core/media/label_image.h"

namespace reelgrid::comparison {
namespace {

constexpr std::size_t kMaxNameBytes = 60;

/// At most so many bytes of valid UTF-8, no character split.
std::string cut(std::string text, std::size_t most, const char* end) {
    if (text.size() <= most) return text;
    std::size_t size = most;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return text.substr(0, size) + end;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == text.npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(kSpace) + 1 - first));
}

}  // namespace

std::string shownName(std::string_view name) {
    return cut(media::printable(trimmed(name)), kMaxNameBytes, "…");
}

std::string shownModel(std::string_view file) {
    if (const std::size_t folder = file.find_last_of("/\\"); folder != file.npos)
        file.remove_prefix(folder + 1);
    for (const std::string_view extension : {".safetensors", ".sft", ".gguf", ".ckpt", ".pth", ".pt", ".bin"})
        if (file.size() > extension.size() && file.ends_with(extension)) {
            file.remove_suffix(extension.size());
            break;
        }
    return shownName(file);
}

std::string shownPrompt(std::string_view prompt) {
    // Printing replaces what is not UTF-8.
    const auto valid = parseJson(printJson(nlohmann::json(trimmed(prompt))), "prompt");
    return valid ? cut(valid->get<std::string>(), ClipOrigin::kMaxPromptBytes, "") : "";
}

std::optional<std::int64_t> saneSteps(double steps) {
    if (!(steps >= 1 && steps <= 100'000) || steps != std::floor(steps)) return std::nullopt;
    return std::int64_t(steps);
}

std::optional<double> saneCfg(double cfg) {
    return cfg >= 0 && cfg <= 10'000 ? std::optional(cfg) : std::nullopt;
}

}  // namespace reelgrid::comparison
