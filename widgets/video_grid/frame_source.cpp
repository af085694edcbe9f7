#include "widgets/video_grid/frame_source.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace reelgrid::widgets {

namespace {

// Going backwards a decoder must start at the key frame anyway, so a run of frames is kept from one pass.
constexpr int kBackwardRun = 12;
constexpr int kLongestBackwardRun = 48;
constexpr int kSmallestWindow = 4;
// So many frames from the playhead on are decoded before any is put in better ones' place.
constexpr std::size_t kBeforeImproving = 8;
// Of 19: others, our own painting among them, come first.
constexpr int kNice = 10;

std::size_t bytesOf(const media::ClipInfo& info) {
    // 4:2:0 is assumed before the first frame shows better.
    return std::max<std::size_t>(1, std::size_t(info.width) * std::size_t(info.height) * 3 / 2);
}

std::size_t bytesOf(const media::YuvFrame& frame) {
    return frame.y.bytes.size() + frame.u.bytes.size() + frame.v.bytes.size();
}

}  // namespace

struct FrameSource::Shared {
    mutable std::mutex mutex;
    std::condition_variable_any changed;
    PrefetchRequest request;
    std::size_t cacheBytes = 0;
    std::size_t frameBytes = 1;
    std::size_t usedBytes = 0;
    int frameCount = 0;
    std::uint64_t revision = 0;  // of request and cacheBytes
    std::vector<int> wanted;     // by urgency, for the present revision
    std::map<int, Picture> pictures;
    std::vector<bool> exact;  // by frame: as good as it gets, in the cache or not to be had

    void replan() {
        const int room = int(std::min<std::size_t>(cacheBytes / frameBytes, 1 << 20));
        wanted = wantedFrames(request, frameCount, std::max(kSmallestWindow, room));
        std::vector<int> sorted = wanted;
        std::ranges::sort(sorted);
        std::erase_if(pictures, [&](const auto& entry) {
            if (std::ranges::binary_search(sorted, entry.first)) return false;
            if (entry.second.frame) usedBytes -= bytesOf(*entry.second.frame);
            exact[std::size_t(entry.first)] = false;
            return true;
        });
        ++revision;
        changed.notify_all();
    }

    /// The most urgent frame not in the cache, or -1.
    [[nodiscard]] int nextMissing() const {
        const auto now = std::span(wanted).first(std::min(wanted.size(), std::size_t(request.readNow)));
        const auto missing = std::ranges::find_if(now, [&](int i) { return !pictures.contains(i); });
        return missing == now.end() ? -1 : *missing;
    }

    /// The most urgent frame that could be better, or -1: also while somebody waits for one.
    [[nodiscard]] int nextToImprove() const {
        if (request.readNow < int(wanted.size()) || wanted.empty()) return -1;
        const auto head = std::span(wanted).first(std::min(wanted.size(), kBeforeImproving));
        if (!std::ranges::all_of(head, [&](int i) { return pictures.contains(i); })) return -1;
        const auto next = std::ranges::find_if(
            wanted, [&](int i) { return pictures.contains(i) && !exact[std::size_t(i)]; });
        return next == wanted.end() ? -1 : *next;
    }

    void putInPlace(int index, media::FramePtr frame) {
        const auto found = pictures.find(index);
        if (found == pictures.end()) return;
        if (found->second.frame) usedBytes -= bytesOf(*found->second.frame);
        usedBytes += bytesOf(*frame);
        frameBytes = std::max(frameBytes, bytesOf(*frame));
        found->second = {std::move(frame), {}};
    }
};

FrameSource::FrameSource(std::filesystem::path path, std::size_t cacheBytes, Opener opener, Opener exact,
                         QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_shared(std::make_unique<Shared>()) {
    m_shared->cacheBytes = cacheBytes;
    m_thread =
        std::jthread([this, open = std::move(opener)](const std::stop_token& stop) { run(stop, open); });
    if (exact)
        m_exactThread = std::jthread(
            [this, open = std::move(exact)](const std::stop_token& stop) { improve(stop, open); });
}

FrameSource::~FrameSource() {
    m_thread.request_stop();
    m_exactThread.request_stop();
    m_shared->changed.notify_all();
    m_thread.join();
    if (m_exactThread.joinable()) m_exactThread.join();
}

void FrameSource::request(const PrefetchRequest& request) {
    const std::scoped_lock lock(m_shared->mutex);
    if (m_shared->request == request) return;
    m_shared->request = request;
    m_shared->replan();
}

void FrameSource::setCacheBytes(std::size_t bytes) {
    const std::scoped_lock lock(m_shared->mutex);
    if (m_shared->cacheBytes == bytes) return;
    m_shared->cacheBytes = bytes;
    m_shared->replan();
}

std::size_t FrameSource::cachedBytes() const {
    const std::scoped_lock lock(m_shared->mutex);
    return m_shared->usedBytes;
}

std::optional<FrameSource::Picture> FrameSource::picture(int index) const {
    const std::scoped_lock lock(m_shared->mutex);
    const auto found = m_shared->pictures.find(index);
    if (found == m_shared->pictures.end()) return std::nullopt;
    return found->second;
}

void FrameSource::run(const std::stop_token& stop, const Opener& opener) {
    auto clip = opener(m_path);
    if (!clip || clip.value()->info().frameCount() == 0) {
        const std::string why = clip ? m_path.string() + " has no frames" : clip.error().message;
        QMetaObject::invokeMethod(this, [this, message = QString::fromStdString(why)] {
            m_error = message;
            Q_EMIT failed(m_error);
        });
        return;
    }
    auto info = std::make_shared<const media::ClipInfo>(clip.value()->info());
    {
        const std::scoped_lock lock(m_shared->mutex);
        m_shared->frameCount = info->frameCount();
        m_shared->exact.assign(std::size_t(info->frameCount()), false);
        m_shared->frameBytes = bytesOf(*info);
        if (m_shared->request.loopLast == 0) m_shared->request.loopLast = info->frameCount() - 1;
        m_shared->replan();
    }
    QMetaObject::invokeMethod(this, [this, info] {
        m_info = info;
        Q_EMIT opened();
    });
    decodeWanted(stop, *clip.value());
}

void FrameSource::decodeWanted(const std::stop_token& stop, media::Clip& clip) {
    while (!stop.stop_requested()) {
        std::unique_lock lock(m_shared->mutex);
        m_shared->changed.wait(lock, stop, [this] { return m_shared->nextMissing() >= 0; });
        if (stop.stop_requested()) return;
        const int target = m_shared->nextMissing();
        const bool backward = m_shared->request.direction == PlayDirection::Backward;
        const int run = std::clamp(int(m_shared->wanted.size()) / 4, kBackwardRun, kLongestBackwardRun);
        int from = target;
        while (backward && from > 0 && target - from + 1 < std::min(run, int(m_shared->wanted.size())) &&
               !m_shared->pictures.contains(from - 1))
            --from;
        const std::uint64_t revision = m_shared->revision;
        lock.unlock();

        for (int index = from; index <= target && !stop.stop_requested(); ++index) {
            Picture picture;
            if (auto frame = clip.frame(index))
                picture.frame = std::move(frame).value();
            else
                picture.error = QString::fromStdString(frame.error().message);
            lock.lock();
            const bool stale = revision != m_shared->revision;
            // A run that the playhead has left is dropped; a frame that is still wanted is kept all the same.
            const bool keep = std::ranges::find(m_shared->wanted, index) != m_shared->wanted.end();
            if (keep && !m_shared->pictures.contains(index)) {
                if (picture.frame) {
                    m_shared->frameBytes = std::max(m_shared->frameBytes, bytesOf(*picture.frame));
                    m_shared->usedBytes += bytesOf(*picture.frame);
                }
                m_shared->pictures.emplace(index, std::move(picture));
                m_shared->changed.notify_all();
            }
            lock.unlock();
            if (keep) QMetaObject::invokeMethod(this, [this, index] { Q_EMIT pictureReady(index); });
            if (stale && index != target) break;
        }
    }
}

void FrameSource::improve(const std::stop_token& stop, const Opener& exact) {
    // Of this thread alone, on Linux, and of those that it starts for decoding.
    ::setpriority(PRIO_PROCESS, id_t(::gettid()), kNice);
    {
        std::unique_lock lock(m_shared->mutex);
        m_shared->changed.wait(lock, stop, [this] { return m_shared->nextToImprove() >= 0; });
        if (stop.stop_requested()) return;
    }
    const auto fail = [this](const std::string& message) {
        QMetaObject::invokeMethod(
            this, [this, message = QString::fromStdString(message)] { Q_EMIT exactFailed(message); });
    };
    auto clip = exact(m_path);
    if (!clip) return fail(clip.error().message);
    if (*clip == nullptr) return;
    int frames = 0;
    {
        const std::scoped_lock lock(m_shared->mutex);
        frames = m_shared->frameCount;
    }
    if ((*clip)->info().frameCount() != frames)
        return fail(m_path.string() + ": " + std::to_string((*clip)->info().frameCount()) +
                    " frames were kept without loss, " + std::to_string(frames) + " were needed");
    improveWanted(stop, **clip);
}

void FrameSource::improveWanted(const std::stop_token& stop, media::Clip& clip) {
    while (!stop.stop_requested()) {
        std::unique_lock lock(m_shared->mutex);
        m_shared->changed.wait(lock, stop, [this] { return m_shared->nextToImprove() >= 0; });
        if (stop.stop_requested()) return;
        const int index = m_shared->nextToImprove();
        lock.unlock();
        auto frame = clip.frame(index);
        lock.lock();
        const bool isThere = m_shared->pictures.contains(index);
        // One that can't be had stays what it is.
        m_shared->exact[std::size_t(index)] = isThere || !frame;
        if (frame) m_shared->putInPlace(index, *std::move(frame));
        lock.unlock();
        if (isThere) QMetaObject::invokeMethod(this, [this, index] { Q_EMIT pictureImproved(index); });
    }
}

}  // namespace reelgrid::widgets
