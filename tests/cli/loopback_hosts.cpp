#include "tests/cli/loopback_hosts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServer = "/usr/sbin/sshd";

int freePort() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(socket);
    return ntohs(address.sin_port);
}

void writeText(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

int shell(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str());
}

std::string fileText(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The process and all below it.
std::vector<int> treeOf(int root) {
    std::set<int> tree{root};
    for (bool grew = true; grew;) {
        grew = false;
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator("/proc", failed)) {
            const int process = std::atoi(entry.path().filename().c_str());
            if (process <= 0 || tree.contains(process)) continue;
            const std::string stat = fileText(entry.path() / "stat");
            const auto end = stat.rfind(')');
            if (end == std::string::npos || end + 4 >= stat.size()) continue;
            if (tree.contains(std::atoi(stat.c_str() + end + 4))) grew = tree.insert(process).second;
        }
    }
    return {tree.begin(), tree.end()};
}

}  // namespace

LoopbackHosts::LoopbackHosts(int count) : m_servers(std::size_t(count), -1) {
    if (!fs::exists(kServer)) {
        m_obstacle = "there is no sshd (Debian's openssh-server)";
        return;
    }
    // Its privileges are separated in there; the packages' start scripts make it.
    if (::geteuid() == 0) fs::create_directories("/run/sshd");
    const fs::path folder = m_folder.path();
    for (const char* key : {"host_key", "user_key"})
        if (shell("ssh-keygen -q -t ed25519 -N '' -f " + (folder / key).string()) != 0)
            m_obstacle = "ssh-keygen makes no key";
    fs::copy_file(folder / "user_key.pub", folder / "authorized_keys");
    std::string known;
    for (int host = 0; host < count && m_obstacle.empty(); ++host) {
        m_ports.push_back(freePort());
        fs::create_directories(home(host));
        start(host);
        known += "Host host" + std::to_string(host) + "\n  HostName 127.0.0.1\n  Port " +
                 std::to_string(m_ports.back()) + "\n";
    }
    writeText(folder / "config",
              known + "Host *\n  IdentityFile " + (folder / "user_key").string() +
                  "\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile "
                  "/dev/null\n");
    fs::create_directories(folder / "bin");
    writeText(folder / "bin" / "ssh",
              "#!/bin/sh\nexec /usr/bin/ssh -F " + (folder / "config").string() + " \"$@\"\n");
    fs::permissions(folder / "bin" / "ssh", fs::perms::owner_all);
    for (int host = 0; host < count && m_obstacle.empty(); ++host)
        if (!answers(host)) m_obstacle = "sshd lets nobody in here: " + fileText(folder / "sshd.log");
}

void LoopbackHosts::start(int host) {
    const fs::path folder = m_folder.path();
    const fs::path config = folder / ("sshd_config" + std::to_string(host));
    writeText(config, "ListenAddress 127.0.0.1\nPort " + std::to_string(m_ports[std::size_t(host)]) +
                          "\nHostKey " + (folder / "host_key").string() + "\nAuthorizedKeysFile " +
                          (folder / "authorized_keys").string() +
                          "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
                          "PidFile none\nSetEnv HOME=" +
                          home(host).string() + " TMPDIR=" + home(host).string() + " OMP_NUM_THREADS=1\n");
    const int child = ::fork();
    if (child == 0) {
        const std::string log = (folder / "sshd.log").string();
        ::execl(kServer, kServer, "-D", "-f", config.c_str(), "-E", log.c_str(), nullptr);
        ::_exit(127);
    }
    m_servers[std::size_t(host)] = child;
}

bool LoopbackHosts::answers(int host) const {
    const std::string command = (m_folder.path() / "bin" / "ssh").string() +
                                " -o BatchMode=yes -o ConnectTimeout=5 host" + std::to_string(host) + " true";
    for (int attempt = 0; attempt < 50; ++attempt) {
        if (shell(command) == 0) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

LoopbackHosts::~LoopbackHosts() {
    for (std::size_t host = 0; host < m_servers.size(); ++host) vanish(int(host));
}

void LoopbackHosts::vanish(int host) {
    int& server = m_servers[std::size_t(host)];
    if (server <= 0) return;
    for (const int process : treeOf(server)) ::kill(process, SIGKILL);
    ::waitpid(server, nullptr, 0);
    server = -1;
}

std::vector<int> LoopbackHosts::processesOf(int host, const std::string& text) const {
    std::vector<int> found;
    for (const int process : treeOf(m_servers[std::size_t(host)])) {
        std::string words = fileText("/proc/" + std::to_string(process) + "/cmdline");
        std::ranges::replace(words, '\0', ' ');
        if (words.find(text) != std::string::npos) found.push_back(process);
    }
    return found;
}

std::map<std::string, std::string> LoopbackHosts::environment() const {
    const char* path = std::getenv("PATH");
    return {{"PATH", (m_folder.path() / "bin").string() + ":" + (path != nullptr ? path : "/usr/bin:/bin")},
            {"OMP_NUM_THREADS", "1"}};
}

std::string LoopbackHosts::line(int host, const std::string& further) const {
    return "ssh://host" + std::to_string(host) + "?program=" REELGRID_BINARY_DIR "/bin/reelgrid-cli" +
           further;
}

fs::path LoopbackHosts::home(int host) const {
    return m_folder.path() / ("home" + std::to_string(host));
}

}  // namespace reelgrid::cli
