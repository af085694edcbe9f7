#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::jobs {

/// What a worker says, called on a thread of the worker's own. After `exited` nothing more comes.
struct WorkerListener {
    std::function<void(protocol::WorkerEvent)> event;
    /// The worker is gone; the text says how, for a person ("the worker was killed by signal 9 (Killed; out
    /// of memory?)"), with the end of what it wrote to stderr.
    std::function<void(std::string)> exited;
};

/// A worker that was started, wherever it runs. Its end of any kind is reported once, through
/// WorkerListener::exited. Everything but the listener's thread may call it. The destructor ends the worker.
class RunningWorker {
  public:
    RunningWorker() = default;
    RunningWorker(const RunningWorker&) = delete;
    RunningWorker& operator=(const RunningWorker&) = delete;
    virtual ~RunningWorker() = default;

    /// Fails when the worker is gone or takes no commands.
    virtual Result<void> send(const protocol::WorkerCommand& command) = 0;
    /// Its job took too long: it says on stderr what it was in, where that is known, and ends.
    virtual void tellTimeIsUp() = 0;
    /// Kills it, if it still lives, and waits for its end.
    virtual void end() = 0;
    /// After its end: removes what it left unfinished of one render.
    virtual void removePartialFiles(const std::filesystem::path& clip) = 0;
};

/// Denoising steps of an unfinished render that need not be made again.
struct KeptSteps {
    int kept = 0;
    int total = 0;  ///< of the render; 0 where none are kept
};

/// How long one waits for workers of a place.
struct WorkerPatience {
    bool isStartUnlimited = false;  ///< a batch system starts it when it can; else as the queue says
    std::optional<std::chrono::milliseconds> idle{};  ///< that it is kept without a job; nothing: for ever
};

/// How workers of one place are started, and what is on the disk there.
class WorkerTransport {
  public:
    WorkerTransport() = default;
    WorkerTransport(const WorkerTransport&) = delete;
    WorkerTransport& operator=(const WorkerTransport&) = delete;
    virtual ~WorkerTransport() = default;

    /// `arguments` follow the program's name: "worker", …
    virtual Result<std::unique_ptr<RunningWorker>> start(const std::vector<std::string>& arguments,
                                                         WorkerListener listener) = 0;
    /// What a render that ended early kept and can go on from.
    virtual KeptSteps keptSteps(const std::filesystem::path& clip) = 0;

    /// What its workers' machine is called; empty: this machine.
    [[nodiscard]] virtual std::string machine() const { return {}; }
    /// Why its workers can't render the request, for a person; nothing: they can. Any thread.
    [[nodiscard]] virtual std::optional<std::string> obstacleTo(
        const protocol::RenderRequest& /*request*/) const {
        return std::nullopt;
    }
    [[nodiscard]] virtual WorkerPatience patience() const { return {}; }
};

}  // namespace reelgrid::jobs
