#include "app/cli/rank_launcher.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/console.h"
#include "core/jobs/exit_status.h"
#include "core/parallel/rank_store.h"
#include "core/parallel/rank_watch.h"

extern char** environ;

namespace reelgrid::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// By which a rank knows who started it.
constexpr const char* kLauncher = "REELGRID_RANK_LAUNCHER";
constexpr std::chrono::milliseconds kPoll{20};
/// How long ranks may take to end by themselves after one of them has failed.
constexpr std::chrono::seconds kPatience{5};

/// This process's own words.
std::vector<std::string> ownWords() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < all.size(); begin += words.back().size() + 1)
        words.emplace_back(all.c_str() + begin);
    return words;
}

/// This process's environment with what torchrun would set.
std::vector<std::string> environmentOf(int rank, int ranks, std::uint16_t port) {
    const std::string threads =
        std::to_string(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks));
    std::vector<std::string> variables{"RANK=" + std::to_string(rank),
                                       "WORLD_SIZE=" + std::to_string(ranks),
                                       "LOCAL_RANK=" + std::to_string(rank),
                                       "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                       "MASTER_ADDR=127.0.0.1",
                                       "MASTER_PORT=" + std::to_string(port),
                                       "TORCHELASTIC_USE_AGENT_STORE=True",
                                       std::string(kLauncher) + "=" + std::to_string(getpid())};
    // As many threads as there are processors, together.
    if (std::getenv("OMP_NUM_THREADS") == nullptr) variables.push_back("OMP_NUM_THREADS=" + threads);
    const std::size_t own = variables.size();
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const auto name = text.substr(0, text.find('=') + 1);
        if (std::none_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(own),
                         [&](const std::string& ours) { return ours.starts_with(name); }))
            variables.emplace_back(text);
    }
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

struct Child {
    pid_t pid = -1;
    std::optional<int> status{};  ///< once it has ended
};

/// A process group of its own: Ctrl-C is for this process, which passes it on in good order.
Child start(std::vector<std::string>& words, std::vector<std::string> environment, int rank) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (rank > 0) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    Child child;
    const int failed = posix_spawn(&child.pid, "/proc/self/exe", &actions, &attributes,
                                   pointersTo(words).data(), pointersTo(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        throw Failure(ErrorCode::Internal,
                      "can't start rank " + std::to_string(rank) + ": " + std::strerror(failed));
    return child;
}

class Children {
  public:
    explicit Children(int ranks) : m_store(parallel::RankStore::serve()) {
        std::vector<std::string> words = ownWords();
        try {
            for (int rank = 0; rank < ranks; ++rank)
                m_children.push_back(start(words, environmentOf(rank, ranks, m_store->port()), rank));
        } catch (...) {
            signalAll(SIGKILL);
            throw;
        }
    }

    int wait(const std::stop_token& stop) {
        bool isStopped = false;
        std::optional<Clock::time_point> end;
        while (look()) {
            if (stop.stop_requested() && !std::exchange(isStopped, true)) signalAll(SIGTERM);
            if (m_failed && !end) end = Clock::now() + kPatience;
            if (end && Clock::now() > *end) {
                signalAll(SIGKILL);
                end = Clock::now() + kPatience;
            }
            std::this_thread::sleep_for(kPoll);
        }
        return exitCode();
    }

  private:
    /// Takes note of who has ended; false once all have.
    bool look() {
        bool isAnyLeft = false;
        for (std::size_t rank = 0; rank < m_children.size(); ++rank) {
            Child& child = m_children[rank];
            int status = 0;
            if (!child.status && ::waitpid(child.pid, &status, WNOHANG) == child.pid) {
                child.status = status;
                if (status != 0) noteFailure(static_cast<int>(rank), status);
            }
            isAnyLeft = isAnyLeft || !child.status;
        }
        return isAnyLeft;
    }

    /// One that was killed has told nobody.
    void noteFailure(int rank, int status) {
        if (!m_failed) m_failed = rank;
        if (WIFSIGNALED(status))
            parallel::RankWatch::ended(*m_store, rank, {ErrorCode::Internal, jobs::describeExit(status)});
    }

    void signalAll(int number) const {
        for (const Child& child : m_children)
            if (!child.status) ::kill(child.pid, number);
    }

    [[nodiscard]] int exitCode() const {
        if (!m_failed) return 0;
        const bool allKilled = std::ranges::all_of(
            m_children, [](const Child& child) { return WIFSIGNALED(child.status.value_or(0)); });
        const int status = m_children[static_cast<std::size_t>(*m_failed)].status.value_or(0);
        if (allKilled)
            return fail({ErrorCode::Internal,
                         "rank " + std::to_string(*m_failed) + " " + jobs::describeExit(status)});
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }

    std::unique_ptr<parallel::RankStore> m_store;
    std::vector<Child> m_children;
    std::optional<int> m_failed;  ///< the first rank that did
};

}  // namespace

int launchRanks(int ranks, const std::stop_token& stop) {
    return Children(ranks).wait(stop);
}

bool isLaunchedRank() {
    return std::getenv(kLauncher) != nullptr;
}

void endWithLauncher() {
    const char* launcher = std::getenv(kLauncher);
    if (launcher == nullptr) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (std::to_string(getppid()) != launcher) _exit(1);
}

}  // namespace reelgrid::cli
