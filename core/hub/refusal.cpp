#include "core/hub/refusal.h"

namespace reelgrid::hub {

Error refusal(const HttpAnswer& answer, const std::string& url, const std::string& withoutRight) {
    constexpr long kUnauthorised = 401, kForbidden = 403, kNotFound = 404;
    if (answer.status == kUnauthorised || answer.status == kForbidden)
        return {ErrorCode::Io, url + " answers " + std::to_string(answer.status) + ": " + withoutRight};
    if (answer.status == kNotFound) return {ErrorCode::NotFound, url + " isn't there"};
    const std::string wait =
        answer.retryAfter ? ", and asks to wait " + std::to_string(answer.retryAfter->count()) + " s" : "";
    return {ErrorCode::Io, url + ": " + answer.problem + wait};
}

}  // namespace reelgrid::hub
