#include "core/hub/hash_text.h"

#include <algorithm>

namespace reelgrid::hub {

bool isHex(const std::string& text, std::size_t digits) {
    return text.size() == digits && std::ranges::all_of(text, [](char letter) {
               return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
           });
}

bool isContentHash(const std::string& text) {
    return isHex(text, kGitDigits) || isHex(text, kSha256Digits);
}

}  // namespace reelgrid::hub
