#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelgrid::hub {

/// A connection that is slower counts as stalled.
inline constexpr long kLeastBytesPerSecond = 1024;
/// What a server asks to wait is taken for this where it is longer: far from any overflow.
inline constexpr std::chrono::seconds kLongestWait{31'536'000};

struct HttpRequest {
    std::string url;
    std::string token;       ///< sent to the URL's own host alone, not where it redirects to
    std::uint64_t from = 0;  ///< asks for the bytes from here on
    std::chrono::seconds connect{20};
    std::chrono::seconds stall{30};  ///< below kLeastBytesPerSecond on average: given up
};

/// What came of a request.
struct HttpAnswer {
    long status = 0;                                   ///< 0: no answer
    std::uint64_t begin = 0;                           ///< of the resource, where the body began
    std::optional<std::uint64_t> total;                ///< of the resource, as far as the server said
    std::optional<std::chrono::seconds> retryAfter{};  ///< what the server asks to wait, up to kLongestWait
    std::string problem;                               ///< why the body isn't whole; empty: it is
    bool isMalformed = false;                          ///< its header can't be taken

    [[nodiscard]] bool ok() const { return problem.empty(); }
    /// Whether another try may help: broken connections, stalls, 408, 429, 5xx; not where it is malformed.
    [[nodiscard]] bool mayPass() const;
};

/// A part of the body of a 200 or 206, with status, begin and total filled in; false ends the transfer.
using HttpBody = std::function<bool(const HttpAnswer& answer, std::string_view bytes)>;

/// GET, following up to 5 redirects; https never leads to http. Certificates are checked as curl does it.
HttpAnswer httpGet(const HttpRequest& request, const HttpBody& body, const std::stop_token& stop);

/// A URL's path as it is sent: everything but letters, digits, "-._~" and "/" escaped.
std::string urlPath(std::string_view path);

}  // namespace reelgrid::hub
