#include "core/hub/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <memory>
#include <mutex>

namespace reelgrid::hub {
namespace {

constexpr long kRedirects = 5;
constexpr long kOk = 200, kPartial = 206, kBeyondTheEnd = 416;
/// CURLE_TOO_LARGE, which curl has since 8.6, for a line of a header; before it says that memory ran out.
constexpr int kTooLarge = 100;
/// Of the page that comes with any other status, which nobody reads.
constexpr curl_off_t kMostPageBytes = 1 << 16;

struct CloseEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

struct Transfer {
    CURL* easy = nullptr;
    const HttpBody* body = nullptr;
    const std::stop_token* stop = nullptr;
    HttpAnswer answer;
    bool refused = false;  ///< by the body
    bool isPageTooLong = false;
};

/// One that 64 bits can't hold counts as the largest that they can.
std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return value;
}

/// Without the blanks around it.
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// "bytes 100-199/200"
void readContentRange(std::string_view value, HttpAnswer& answer) {
    constexpr std::string_view kUnit = "bytes";
    if (!value.starts_with(kUnit)) return;
    value = trimmed(value.substr(kUnit.size()));
    answer.begin = number(value).value_or(0);
    if (const auto slash = value.find('/'); slash != value.npos)
        answer.total = number(value.substr(slash + 1));
}

/// Seconds, or the time when it is over: RFC 9110, 10.2.3.
std::optional<std::chrono::seconds> retryAfterFrom(std::string_view value) {
    if (const auto seconds = number(value))
        return std::chrono::seconds(std::min<std::uint64_t>(*seconds, kLongestWait.count()));
    const std::time_t time = curl_getdate(std::string(value).c_str(), nullptr);
    if (time < 0) return std::nullopt;
    return std::clamp(std::chrono::seconds(time - std::time(nullptr)), std::chrono::seconds(0), kLongestWait);
}

std::size_t onHeader(const char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    std::string line(data, size * count);
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    const std::string_view text(line);
    if (text.starts_with("http/")) transfer.answer = {};  // of the redirect, before this
    const auto colon = text.find(':');
    if (colon == text.npos) return size * count;
    const std::string_view name = text.substr(0, colon), value = trimmed(text.substr(colon + 1));
    if (name == "content-range") readContentRange(value, transfer.answer);
    if (name == "content-length" && !transfer.answer.total) transfer.answer.total = number(value);
    if (name == "retry-after") transfer.answer.retryAfter = retryAfterFrom(value);
    return size * count;
}

bool hasContent(long status) {
    return status == kOk || status == kPartial;
}

std::size_t onBody(const char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &transfer.answer.status);
    if (!hasContent(transfer.answer.status)) return size * count;  // an error's page
    if ((*transfer.body)(transfer.answer, {data, size * count})) return size * count;
    transfer.refused = true;
    return 0;
}

int onProgress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(user);
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    transfer.isPageTooLong = status != 0 && !hasContent(status) && received > kMostPageBytes;
    return transfer.isPageTooLong || transfer.stop->stop_requested() ? 1 : 0;
}

void configure(CURL* easy, const HttpRequest& request, Transfer& transfer) {
    const bool secure = request.url.starts_with("https:");
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kRedirects);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "reelgrid");
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, static_cast<long>(request.connect.count()));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.stall.count()));
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &onHeader);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &onBody);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &onProgress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
    if (request.from > 0) curl_easy_setopt(easy, CURLOPT_RANGE, (std::to_string(request.from) + "-").c_str());
    if (!request.token.empty()) {
        curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        curl_easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, request.token.c_str());
    }
}

}  // namespace

bool HttpAnswer::mayPass() const {
    if (isMalformed) return false;
    return status == 0 || status == kOk || status == kPartial || status == kBeyondTheEnd || status == 408 ||
           status == 429 || status >= 500;
}

HttpAnswer httpGet(const HttpRequest& request, const HttpBody& body, const std::stop_token& stop) {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    const std::unique_ptr<CURL, CloseEasy> easy(curl_easy_init());
    Transfer transfer{.easy = easy.get(), .body = &body, .stop = &stop, .answer = {}};
    char message[CURL_ERROR_SIZE] = "";
    configure(easy.get(), request, transfer);
    curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, message);
    const CURLcode code = curl_easy_perform(easy.get());
    HttpAnswer& answer = transfer.answer;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    answer.isMalformed = answer.status != 0 && (code == CURLE_OUT_OF_MEMORY || int(code) == kTooLarge);
    if (stop.stop_requested())
        answer.problem = "cancelled";
    else if (transfer.refused)
        answer.problem = "ended by the reader";
    else if (transfer.isPageTooLong)
        answer.problem = "HTTP status " + std::to_string(answer.status) + " with a page of more than " +
                         std::to_string(kMostPageBytes) + " bytes";
    else if (answer.isMalformed)
        answer.problem = "a line of its header is too long, or memory ran out";
    else if (code != CURLE_OK)
        answer.problem = *message != '\0' ? message : curl_easy_strerror(code);
    else if (!hasContent(answer.status))
        answer.problem = "HTTP status " + std::to_string(answer.status);
    return answer;
}

std::string urlPath(std::string_view path) {
    constexpr std::string_view kPlain = "-._~/";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string escaped;
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z') || kPlain.find(letter) != kPlain.npos;
        if (plain)
            escaped += letter;
        else
            escaped += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
    return escaped;
}

}  // namespace reelgrid::hub
