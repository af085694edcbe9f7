#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "core/jobs/file_descriptor.h"
#include "core/jobs/worker_transport.h"

namespace reelgrid::jobs {

/// How to start a worker.
struct WorkerCommandLine {
    std::filesystem::path program;
    std::vector<std::string> arguments{"worker"};
};

/// The program that serves as worker: $REELGRID_WORKER, else reelgrid-cli beside the running program.
/// NotFound names where was looked.
Result<std::filesystem::path> findWorkerProgram();

/// A running worker: a child process in its own process group that gets commands as lines on stdin and
/// answers with lines on stdout. Output that isn't the protocol is reported as its end, after which it is
/// killed. The thread that calls start() must outlive the process (the worker asks the kernel to die with
/// it).
class WorkerProcess : public RunningWorker {
  public:
    static Result<std::unique_ptr<WorkerProcess>> start(const WorkerCommandLine& command,
                                                        WorkerListener listener);
    ~WorkerProcess() override;

    /// Hands over one line. Fails when the worker is gone or takes nothing for 5 seconds.
    Result<void> send(const protocol::WorkerCommand& command) override;
    void tellTimeIsUp() override;
    void end() override;
    void removePartialFiles(const std::filesystem::path& clip) override;
    /// The process id, also after its end.
    [[nodiscard]] pid_t pid() const { return m_pid; }

  private:
    WorkerProcess(pid_t pid, WorkerListener listener);
    void read(FileDescriptor output, FileDescriptor errors);
    bool takeOutput(std::string_view bytes);
    std::string reap();
    /// Sends a signal, if it still lives.
    void signal(int number);
    void kill() { signal(SIGKILL); }

    const pid_t m_pid;
    WorkerListener m_listener;
    FileDescriptor m_input;
    std::mutex m_mutex;  ///< guards m_reaped: a process id may be another's once reaped
    bool m_reaped = false;

    struct Reading;
    std::unique_ptr<Reading> m_reading;  ///< the reader thread's own
    std::thread m_reader;
};

}  // namespace reelgrid::jobs
