#include "core/protocol/attention_name.h"

#include <nlohmann/json.hpp>

namespace reelgrid::protocol {

std::string stepCacheName(double threshold) {
    if (threshold <= 0) return {};
    std::string number = nlohmann::json(threshold).dump();  // the shortest text that means it
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return "cache-" + number;
}

template <template <class> class Maybe>
std::string attentionName(const RenderFields<Maybe>& fields) {
    std::string name = attentionName(fields.attentionType, fields.attentionPolicy);
    if (const std::string cache = stepCacheName(fields.stepCache); !cache.empty()) name += "+" + cache;
    return name;
}

template std::string attentionName(const RenderFields<std::optional>&);
template std::string attentionName(const RenderFields<Given>&);

}  // namespace reelgrid::protocol
