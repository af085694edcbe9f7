#include "core/hub/hash_text.h"

namespace reelgrid::hub {

bool isContentHash(const std::string& text) {
    return isHex(text, kGitDigits) || isHex(text, kSha256Digits);
}

}  // namespace reelgrid::hub
