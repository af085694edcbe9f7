#include "app/cli/network_access.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace reelgrid::cli {
namespace {

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kMachine = 0;
#endif

/// Of x86-64's second way of calling (x32), whose numbers begin here.
constexpr unsigned kOtherCalls = 0x40000000;

constexpr unsigned offsetOf(std::size_t argument) {
    // The lower half of an argument, on a little-endian machine.
    return static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * argument);
}

Error unsupported(const std::string& why) {
    return {ErrorCode::Unsupported, "the network stays within reach: " + why};
}

/// Ends a child that tries it: 0 where sockets of the Internet are refused and local ones aren't.
[[noreturn]] void tryIt() {
    if (!leaveNetwork()) _exit(2);
    const bool refused = socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EACCES &&
                         socket(AF_INET6, SOCK_DGRAM, 0) < 0 && errno == EACCES;
    _exit(refused && socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : 3);
}

}  // namespace

Result<void> leaveNetwork() {
    if (kMachine == 0) return unsupported("this build has no filter for this kind of machine");
    constexpr unsigned kRefused = SECCOMP_RET_ERRNO | EACCES;
    // Jumps count the instructions that they leave out.
    std::array<sock_filter, 12> program{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, kRefused),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherCalls, 5, 0),
        // A ring of its own could make sockets past this filter.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetOf(0)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, kRefused),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return unsupported(std::string("no_new_privs: ") + std::strerror(errno));
    // In all threads, of which libraries may have started some.
    if (const long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
        status != 0)
        return unsupported(std::string("seccomp: ") +
                           (status < 0 ? std::strerror(errno) : "a thread has another filter"));
    return {};
}

Result<void> canLeaveNetwork() {
    const pid_t child = fork();
    if (child < 0) return unsupported(std::string("no process for a trial: ") + std::strerror(errno));
    if (child == 0) tryIt();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return unsupported("this kernel takes no seccomp filter, or doesn't heed it");
}

}  // namespace reelgrid::cli
