#include "core/base/json_depth.h"

#include <algorithm>

namespace reelgrid {

int jsonDepth(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool inString = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (inString) {
            if (letter == '\\') ++at;
            if (letter == '"') inString = false;
        } else if (letter == '"') {
            inString = true;
        } else if (letter == '[' || letter == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (letter == ']' || letter == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace reelgrid
