#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/fleet/arriving_result.h"
#include "core/fleet/host.h"
#include "core/fleet/outgoing.h"
#include "core/jobs/line_process.h"
#include "core/jobs/worker_transport.h"
#include "core/result/component_hash.h"

namespace reelgrid::fleet {

/// A worker on another machine: `reelgrid-cli worker --remote` there, over ssh or srun. A thread of its own
/// sends what jobs need before each command; results are put into their places before "done" is told.
class HostWorker : public jobs::RunningWorker {
  public:
    /// `arguments` as of a local worker: plug-ins that they name are sent.
    static Result<std::unique_ptr<HostWorker>> start(const Host& host, std::vector<std::string> arguments,
                                                     std::shared_ptr<result::ComponentHasher> hasher,
                                                     jobs::WorkerListener listener);
    ~HostWorker() override;

    Result<void> send(const protocol::WorkerCommand& command) override;
    void tellTimeIsUp() override;
    void end() override;
    void removePartialFiles(const std::filesystem::path& clip) override;

  private:
    using Letter = std::variant<WorkerBegins, protocol::WorkerCommand, TimeIsUp>;

    HostWorker(const Host& host, std::shared_ptr<result::ComponentHasher> hasher,
               jobs::WorkerListener listener);
    Result<void> put(Letter letter);

    // The sender's thread:
    void sendLetters();
    Result<void> deliver(Letter& letter);
    Result<void> begin(const WorkerBegins& begins);
    Result<void> render(protocol::RenderCommand command);
    Result<void> sendLine(const std::string& line);
    [[nodiscard]] bool isCancelled(const std::string& job);

    // The reader's thread:
    Result<void> take(const std::string& line);
    Result<void> takeFile(ChannelMessage& message);
    void finish(const protocol::JobDone& done);
    void forgetResult();

    const std::string m_name;
    const std::shared_ptr<result::ComponentHasher> m_hasher;
    const jobs::WorkerListener m_listener;
    std::unique_ptr<jobs::LineProcess> m_process;
    Outgoing m_outgoing;    ///< the sender's own
    std::string m_sending;  ///< likewise: the job whose files are on their way

    std::mutex m_mutex;  ///< guards what follows
    std::condition_variable m_changed;
    std::deque<Letter> m_letters;
    std::string m_cancelled;  ///< the job that was to stop last
    bool m_isEnded = false;

    std::mutex m_resultMutex;
    std::optional<ArrivingResult> m_result;  ///< of the job that runs; guarded by m_resultMutex

    std::thread m_sender;
};

}  // namespace reelgrid::fleet
