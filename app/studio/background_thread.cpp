#include "app/studio/background_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace reelgrid::studio {

namespace {

/// Of the calling thread, and of those that it starts.
void stepBack() {
    // A third of what playing gets where both want the processor: more would starve it on a busy machine.
    constexpr int kNicer = 5;
    const auto thread = id_t(gettid());
    // Without it everything works, only less smoothly.
    static_cast<void>(setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + kNicer));
}

}  // namespace

BackgroundThread::BackgroundThread(Priority priority, QObject* parent) : QObject(parent) {
    m_thread = std::jthread([this, priority](const std::stop_token& stop) {
        if (priority == Priority::Low) stepBack();
        loop(stop);
    });
}

BackgroundThread::~BackgroundThread() {
    m_thread.request_stop();
    m_thread.join();
}

void BackgroundThread::run(Work work) {
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back(std::move(work));
    }
    m_added.notify_one();
}

void BackgroundThread::loop(const std::stop_token& stop) {
    while (true) {
        std::unique_lock lock(m_mutex);
        m_added.wait(lock, stop, [this] { return !m_waiting.empty(); });
        if (stop.stop_requested()) return;
        const Work work = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        Completion completion;
        try {
            completion = work(stop);
        } catch (const std::exception& failure) {
            completion = [this, why = QString::fromUtf8(failure.what())] { Q_EMIT failed(why); };
        }
        if (!completion) continue;
        lock.lock();
        m_completions.push_back(std::move(completion));
        lock.unlock();
        QMetaObject::invokeMethod(this, &BackgroundThread::complete, Qt::QueuedConnection);
    }
}

void BackgroundThread::complete() {
    Completion completion;
    {
        const std::scoped_lock lock(m_mutex);
        completion = std::move(m_completions.front());
        m_completions.pop_front();
    }
    completion();
}

}  // namespace reelgrid::studio
