#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <string_view>

namespace reelgrid {

/// Tells when a child process has ended, and doesn't reap it. The end of its pipes doesn't tell that: a
/// process that it left behind holds them open. Made before the child is reaped.
class ChildWatch {
  public:
    explicit ChildWatch(pid_t child);
    ChildWatch(const ChildWatch&) = delete;
    ChildWatch& operator=(const ChildWatch&) = delete;
    ~ChildWatch();

    [[nodiscard]] bool hasEnded() const;
    /// For poll() beside the child's pipes: ready at its end. On a kernel without pidfd_open (before
    /// Linux 5.3) poll() passes it over, and must not be given more than mostMilliseconds().
    [[nodiscard]] pollfd poller() const { return {m_descriptor, POLLIN, 0}; }
    /// `wanted`, as poll() takes it, or less where the end has to be asked for now and then.
    [[nodiscard]] int mostMilliseconds(int wanted) const;

  private:
    const pid_t m_child;
    const int m_descriptor;  ///< the child's pidfd; -1: none
};

/// Hands on what a pipe holds now, and waits for no more: all that a process that has ended wrote to it. Ends
/// early when `take` returns false.
void readWhatIsLeft(int pipe, const std::function<bool(std::string_view)>& take);

/// Waits for the end of a child that leads a process group, kills what is left of the group, and reaps the
/// child: its status, as waitpid() has it. Until then the child's id is no other process's or group's.
int reapWithGroup(pid_t leader);

}  // namespace reelgrid
