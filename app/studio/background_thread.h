#pragma once

#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace reelgrid::studio {

/// Does work that reads files or computes, one piece after the other, away from the GUI thread. What a piece
/// of work returns is called on the GUI thread. Lives there; destruction asks the work under way to stop,
/// drops what has not begun and waits.
class BackgroundThread : public QObject {
    Q_OBJECT

  public:
    using Completion = std::function<void()>;
    using Work = std::function<Completion(const std::stop_token&)>;

    /// Low: the processor is for whoever else wants it, playing first of all.
    enum class Priority { Usual, Low };
    explicit BackgroundThread(QObject* parent = nullptr) : BackgroundThread(Priority::Usual, parent) {}
    explicit BackgroundThread(Priority priority, QObject* parent = nullptr);
    ~BackgroundThread() override;

    void run(Work work);

  Q_SIGNALS:
    /// A piece of work ended by an exception (no memory, say); the others go on.
    void failed(const QString& why);

  private:
    void loop(const std::stop_token& stop);
    /// On the GUI thread: calls the first completion.
    void complete();

    std::mutex m_mutex;
    std::condition_variable_any m_added;
    std::deque<Work> m_waiting;
    std::deque<Completion> m_completions;
    std::jthread m_thread;
};

}  // namespace reelgrid::studio
