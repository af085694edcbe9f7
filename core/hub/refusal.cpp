#include "core/hub/refusal.h"

namespace reelgrid::hub {

std::string waitAskedFor(const HttpAnswer& answer) {
    if (!answer.retryAfter) return "";
    return ", and asks to wait " + (*answer.retryAfter < kLongestWait
                                        ? std::to_string(answer.retryAfter->count()) + " s"
                                        : std::string("for a year or longer"));
}

Error refusal(const HttpAnswer& answer, const std::string& url, const std::string& withoutRight) {
    constexpr long kUnauthorised = 401, kForbidden = 403, kNotFound = 404;
    if (answer.status == kUnauthorised || answer.status == kForbidden)
        return {ErrorCode::Io, url + " answers " + std::to_string(answer.status) + ": " + withoutRight};
    if (answer.status == kNotFound) return {ErrorCode::NotFound, url + " isn't there"};
    return {ErrorCode::Io, url + ": " + answer.problem + waitAskedFor(answer)};
}

}  // namespace reelgrid::hub
