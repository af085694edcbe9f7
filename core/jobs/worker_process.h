#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.h"
#include "core/jobs/file_descriptor.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::jobs {

/// How to start a worker.
struct WorkerCommandLine {
    std::filesystem::path program;
    std::vector<std::string> arguments{"worker"};
};

/// The program that serves as worker: $REELGRID_WORKER, else reelgrid-cli beside the running program.
/// NotFound names where was looked.
Result<std::filesystem::path> findWorkerProgram();

/// What a worker says, called on the process's reader thread. After `exited` nothing more comes.
struct WorkerListener {
    std::function<void(protocol::WorkerEvent)> event;
    /// The process is gone; the text says how, for a person ("was killed by signal 9 (Killed; out of
    /// memory?)"), with the end of what it wrote to stderr.
    std::function<void(std::string)> exited;
};

/// A running worker: a child process in its own process group that gets commands as lines on stdin and
/// answers with lines on stdout. Its death of any kind is reported once, through WorkerListener::exited; so
/// is output that isn't the protocol, after which it is killed. send(), kill() and pid() may be called from
/// any thread but the reader's; the thread that calls start() must outlive the process (the worker asks the
/// kernel to die with it).
class WorkerProcess {
  public:
    static Result<std::unique_ptr<WorkerProcess>> start(const WorkerCommandLine& command,
                                                        WorkerListener listener);
    /// Kills the process, if it still lives, and waits for its end.
    ~WorkerProcess();

    /// Hands over one line. Fails when the worker is gone or takes nothing for 5 seconds.
    Result<void> send(const protocol::WorkerCommand& command);
    void kill() { signal(SIGKILL); }
    /// Sends a signal, if it still lives.
    void signal(int number);
    /// The process id, also after its end.
    [[nodiscard]] pid_t pid() const { return m_pid; }

  private:
    WorkerProcess(pid_t pid, WorkerListener listener);
    void read(FileDescriptor output, FileDescriptor errors);
    bool takeOutput(std::string_view bytes);
    std::string reap();

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
