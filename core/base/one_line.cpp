#include "core/base/one_line.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid {

std::string nameInOneLine(const std::string& name) {
    const bool isPlain = std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    return isPlain ? name : showJson(nlohmann::json(name));
}

}  // namespace reelgrid
