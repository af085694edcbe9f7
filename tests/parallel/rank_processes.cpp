#include "tests/parallel/rank_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/parallel/rank_store.h"

extern char** environ;

namespace reelgrid::parallel {
namespace {

pid_t startRank(int rank, int ranks, const RankStore& store, const std::string& body,
                const std::string& errors) {
    std::vector<std::string> words{"/proc/self/exe", "--gtest_brief=1", "--gtest_also_run_disabled_tests",
                                   "--gtest_filter=DISABLED_InRank." + body};
    std::vector<std::string> variables{"RANK=" + std::to_string(rank),
                                       "WORLD_SIZE=" + std::to_string(ranks),
                                       "LOCAL_RANK=" + std::to_string(rank),
                                       "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                       "MASTER_ADDR=127.0.0.1",
                                       "MASTER_PORT=" + std::to_string(store.port()),
                                       "TORCHELASTIC_USE_AGENT_STORE=True",
                                       "OMP_NUM_THREADS=1"};
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    const auto pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> all;
        for (std::string& text : texts) all.push_back(text.data());
        all.push_back(nullptr);
        return all;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                         0600);
    pid_t child = -1;
    if (posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers(words).data(),
                    pointers(variables).data()) != 0)
        std::abort();
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

}  // namespace

std::vector<RankEnd> runRanks(int ranks, const std::string& body) {
    std::string folder = (std::filesystem::temp_directory_path() / "ranks-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) std::abort();
    const auto store = RankStore::serve();
    const auto fileOf = [&](int rank) { return folder + "/" + std::to_string(rank); };
    std::vector<pid_t> children;
    for (int rank = 0; rank < ranks; ++rank)
        children.push_back(startRank(rank, ranks, *store, body, fileOf(rank)));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::vector<RankEnd> ends;
    for (int rank = 0; rank < ranks; ++rank) {
        const pid_t child = children[static_cast<std::size_t>(rank)];
        int status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > deadline) kill(child, SIGKILL);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        std::ifstream file(fileOf(rank));
        ends.push_back({WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                        std::string(std::istreambuf_iterator<char>(file), {})});
    }
    std::filesystem::remove_all(folder);
    return ends;
}

}  // namespace reelgrid::parallel
