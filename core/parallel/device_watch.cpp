#include "core/parallel/device_watch.h"

#include <utility>

namespace reelgrid::parallel {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};
/// An exchange that takes longer may have been left alone.
constexpr std::chrono::milliseconds kUsual{500};
constexpr std::chrono::seconds kUntilLastResort{3};

}  // namespace

void DeviceWatch::addEnd(std::function<void()> end) {
    const std::lock_guard lock(m_mutex);
    m_ends.push_back(std::move(end));
}

void DeviceWatch::setLastResort(std::function<void(const Error&)> lastResort) {
    const std::lock_guard lock(m_mutex);
    m_lastResort = std::move(lastResort);
}

void DeviceWatch::follow(Exchange exchange) {
    const std::lock_guard lock(m_mutex);
    m_followed.push_back({std::move(exchange), {}});
    if (!m_looker.joinable()) m_looker = std::jthread([this](const std::stop_token& stop) { look(stop); });
}

void DeviceWatch::check() {
    const std::lock_guard lock(m_mutex);
    if (!m_failure) return;
    m_isKnown = true;
    m_changed.notify_all();
    throw Failure(m_failure->code, m_failure->message);
}

/// How long the first exchange that isn't done has waited for others.
std::optional<std::chrono::milliseconds> DeviceWatch::waiting() {
    const std::lock_guard lock(m_mutex);
    while (!m_followed.empty() && m_followed.front().exchange.isDone()) m_followed.pop_front();
    if (m_followed.empty()) return std::nullopt;
    Followed& first = m_followed.front();
    if (!first.begin && first.exchange.hasBegun()) first.begin = Clock::now();
    if (!first.begin) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *first.begin);
}

void DeviceWatch::look(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        try {
            const auto waited = waiting();
            if (waited && *waited > kUsual) m_watch.check();
            if (waited && *waited > m_timeout) m_watch.explainWaiting(*waited);
        } catch (const Failure& failure) {
            endAll(stop, failure.error());
            return;
        } catch (const std::exception& failure) {
            const std::string what = failure.what();
            endAll(stop, {ErrorCode::Internal, "the GPU failed: " + what.substr(0, what.find('\n'))});
            return;
        }
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, stop, kBetweenLooks, [] { return false; });
    }
}

void DeviceWatch::endAll(const std::stop_token& stop, const Error& why) {
    std::unique_lock lock(m_mutex);
    m_failure = why;
    // One that doesn't come back is left behind.
    for (const auto& end : m_ends) std::thread(end).detach();
    if (m_changed.wait_for(lock, stop, kUntilLastResort, [this] { return m_isKnown; }) ||
        stop.stop_requested() || !m_lastResort)
        return;
    const auto lastResort = m_lastResort;
    lock.unlock();
    lastResort(why);
}

}  // namespace reelgrid::parallel
