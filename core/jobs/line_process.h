#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/child_watch.h"
#include "core/base/result.h"
#include "core/jobs/file_descriptor.h"

namespace reelgrid::jobs {

/// How to start a process: a program's path, or a name to look for on PATH.
struct ProcessCommandLine {
    std::filesystem::path program;
    std::vector<std::string> arguments;
};

/// What a process says, called on a thread of its own. After `exited` nothing more comes.
struct LineListener {
    /// A line of its stdout, at most protocol::kMaxLineBytes. An error says what it did wrong ("sent …"), at
    /// which it is killed.
    std::function<Result<void>(const std::string&)> line;
    /// It is gone; the text says how ("was killed by signal 9 (Killed; out of memory?)", "ended with exit
    /// code 1"), with the end of what it wrote to stderr.
    std::function<void(std::string)> exited;
};

/// A child process in its own process group that gets lines on stdin and answers with lines on stdout. What
/// is left of the group at its end is killed: nobody else would end it, and it may hold GPU memory. The
/// thread that calls start() must outlive a process that asks the kernel to die with it.
class LineProcess {
  public:
    static Result<std::unique_ptr<LineProcess>> start(const ProcessCommandLine& command,
                                                      LineListener listener);
    LineProcess(const LineProcess&) = delete;
    LineProcess& operator=(const LineProcess&) = delete;
    ~LineProcess();

    /// Hands over one line, given without its end. Fails when the process is gone or takes nothing for so
    /// long.
    Result<void> send(const std::string& text, std::chrono::milliseconds patience);
    /// Sends a signal, if it still lives.
    void signal(int number);
    /// Kills it, if it still lives, and waits for its end.
    void end();
    /// The same, once it had so long to end by itself.
    void endWithin(std::chrono::milliseconds patience);
    /// The process id, also after its end.
    [[nodiscard]] pid_t pid() const { return m_pid; }

  private:
    LineProcess(pid_t pid, LineListener listener);
    void read(FileDescriptor output, FileDescriptor errors);
    bool takeOutput(std::string_view bytes);
    std::string reap(const ChildWatch& watch);
    [[nodiscard]] bool isReaped();

    const pid_t m_pid;
    LineListener m_listener;
    FileDescriptor m_input;
    std::mutex m_mutex;  ///< guards m_reaped: a process id may be another's once reaped
    bool m_reaped = false;

    struct Reading;
    std::unique_ptr<Reading> m_reading;  ///< the reader thread's own
    std::thread m_reader;
};

}  // namespace reelgrid::jobs
