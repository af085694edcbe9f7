#include "core/base/one_line.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid {

std::string nameInOneLine(const std::string& name) {
    constexpr std::size_t kMostBytes = 1000;  // of a path in a repository; a tensor's name has far fewer
    const bool isPlain = name.size() <= kMostBytes &&
                         std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    return isPlain ? name : showJson(nlohmann::json(name));
}

}  // namespace reelgrid
