#include "core/text/tokenizers/cut_prompts.h"

#include "core/base/one_line.h"

namespace reelgrid::text {

std::string cutLine(const std::string& name, std::size_t length, const std::string& cut,
                    const std::string& reader) {
    return name + " is cut at " + std::to_string(length) + " tokens" +
           (reader.empty() ? std::string() : " for " + reader) + ", this is not seen: " + inOneLine(cut);
}

}  // namespace reelgrid::text
