#include "core/hub/file_download.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/hub/http.h"
#include "core/hub/partial_file.h"
#include "core/hub/pause.h"
#include "core/hub/refusal.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

constexpr long kRangeNotSatisfiable = 416;

Error refusalOf(const RemoteFile& file, const HttpAnswer& answer, const std::string& url) {
    Error error = refusal(answer, url,
                          "a token in HF_TOKEN was needed, of someone who may read the model (some ask to "
                          "accept their terms first)");
    error.message = file.path + ": " + error.message;
    return error;
}

/// One file on its way.
class Download {
  public:
    Download(const std::string& url, const std::string& token, const RemoteFile& file, PartialFile& partial,
             const Patience& patience, const BytesCame& came, const std::stop_token& stop)
        : m_url(url),
          m_token(token),
          m_file(file),
          m_partial(partial),
          m_patience(patience),
          m_came(came),
          m_stop(stop) {}

    /// Until all bytes are there.
    Result<void> fetch() {
        if (m_partial.size() > m_file.size)
            if (auto cleared = startAgain(); !cleared) return cleared;
        m_vain = 0;
        auto pause = m_patience.pause;
        std::uint64_t most = m_partial.size();
        while (m_partial.size() < m_file.size) {
            const HttpAnswer answer = request();
            if (m_stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
            if (m_failed) return *m_failed;
            if (m_partial.size() >= m_file.size) break;
            if (answer.status == kRangeNotSatisfiable)
                if (auto cleared = startAgain(); !cleared) return cleared;
            if (!answer.ok() && !answer.mayPass()) return refusalOf(m_file, answer, m_url);
            const std::uint64_t before = std::exchange(most, std::max(most, m_partial.size()));
            const bool isVain = most - before < fairShare();
            m_vain = isVain ? m_vain + 1 : 0;
            if (!isVain) pause = m_patience.pause;
            if (m_vain >= m_patience.tries) return givenUp(answer);
            const auto wait = isVain ? pauseAfter(answer, pause) : pause;
            if (!wait) return givenUp(answer);
            if (!pauseFor(*wait, m_stop)) return Error{ErrorCode::Cancelled, "cancelled"};
            pause *= 2;
        }
        return {};
    }

    Result<void> startAgain() {
        m_came(-static_cast<std::int64_t>(m_partial.size()));
        return m_partial.clear();
    }

  private:
    /// The bytes that a try that broke off must have brought, or it was in vain: what the slowest connection
    /// brings before it counts as stalled. One that brings them may break as often as it likes.
    [[nodiscard]] std::uint64_t fairShare() const {
        return static_cast<std::uint64_t>(kLeastBytesPerSecond * m_patience.stall.count());
    }

    HttpAnswer request() {
        m_begun = false;
        return httpGet(
            {.url = m_url,
             .token = m_token,
             .from = m_partial.size(),
             .connect = m_patience.connect,
             .stall = m_patience.stall},
            [this](const HttpAnswer& answer, std::string_view bytes) { return take(answer, bytes); }, m_stop);
    }

    bool take(const HttpAnswer& answer, std::string_view bytes) {
        const std::uint64_t asked = m_partial.size();
        if (!m_begun && answer.begin != asked && answer.begin != 0)
            return fails({ErrorCode::Io, m_file.path + ": the server sends from byte " +
                                             std::to_string(answer.begin) + ", byte " +
                                             std::to_string(asked) + " was asked for"});
        // A server that knows no ranges begins at the beginning, whatever was asked for.
        if (!m_begun && answer.begin != asked)
            if (auto cleared = startAgain(); !cleared) return fails(cleared.error());
        m_begun = true;
        if (m_partial.size() + bytes.size() > m_file.size)
            return fails({ErrorCode::Io, m_file.path + ": the server sends more than the " +
                                             std::to_string(m_file.size) + " bytes that the hub names"});
        if (auto appended = m_partial.append(bytes); !appended) return fails(appended.error());
        m_came(static_cast<std::int64_t>(bytes.size()));
        return true;
    }

    bool fails(Error error) {
        m_failed = std::move(error);
        return false;
    }

    [[nodiscard]] Error givenUp(const HttpAnswer& answer) const {
        return {ErrorCode::Io, m_file.path + ": " + std::to_string(m_partial.size()) + " of " +
                                   std::to_string(m_file.size) + " bytes after " + std::to_string(m_vain) +
                                   (m_vain == 1 ? " try" : " tries") +
                                   " in vain: " + (answer.ok() ? "the server ends there" : answer.problem) +
                                   waitAskedFor(answer) + "; the next download goes on from here"};
    }

    const std::string& m_url;
    const std::string& m_token;
    const RemoteFile& m_file;
    PartialFile& m_partial;
    const Patience& m_patience;
    const BytesCame& m_came;
    const std::stop_token& m_stop;
    int m_vain = 0;        ///< tries in a row
    bool m_begun = false;  ///< the body of this request
    std::optional<Error> m_failed;
};

}  // namespace

Result<void> downloadFile(const std::string& url, const std::string& token, const RemoteFile& file,
                          const Repository& repository, const Patience& patience, const BytesCame& came,
                          const std::stop_token& stop) {
    const fs::path blob = repository.blob(file.hash);
    auto partial = PartialFile::open(fs::path(blob) += ".incomplete", repository.lockOf(file.hash));
    if (!partial) return partial.error();
    came(static_cast<std::int64_t>(std::min(partial->size(), file.size)));
    Download download(url, token, file, *partial, patience, came, stop);
    // Bytes of an earlier, different file may be among those that were there: once more from the start then.
    for (const bool isLast : {false, true}) {
        if (auto fetched = download.fetch(); !fetched) return fetched;
        const auto hash = hashOfFile(partial->path().string(), file.hash);
        if (!hash) return hash.error();
        if (*hash == file.hash) return partial->becomes(blob);
        if (auto cleared = download.startAgain(); !cleared) return cleared;
        if (isLast)
            return Error{ErrorCode::Io, file.path + ": what came has the hash " + *hash + ", " + file.hash +
                                            " was needed: it was thrown away"};
    }
    return {};
}

}  // namespace reelgrid::hub
