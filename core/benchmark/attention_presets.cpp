#include "core/benchmark/attention_presets.h"

#include <cctype>

namespace reelgrid::benchmark {

Result<AttentionShape> shapeNamed(const std::string& text) {
    if (const AttentionPreset* preset = findPreset(text)) return parseShape(std::string(preset->shape));
    auto shape = parseShape(text);
    if (shape.ok() || text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0)
        return shape;
    std::string names;
    for (const AttentionPreset& preset : attentionPresets())
        names += (names.empty() ? "" : ", ") + std::string(preset.name);
    return Error{ErrorCode::BadUsage,
                 "--shape " + text + ": B,H,N,D[,Nk] or one of " + names + " was needed"};
}

}  // namespace reelgrid::benchmark
