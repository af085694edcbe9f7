#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace reelgrid::cli {

/// OpenSSH's sshd on this machine's loopback, one for each host, each with a home of its own that has nothing
/// in it; and what a client needs to reach them by the names "host0", "host1", …
class LoopbackHosts {
  public:
    explicit LoopbackHosts(int count);
    LoopbackHosts(const LoopbackHosts&) = delete;
    LoopbackHosts& operator=(const LoopbackHosts&) = delete;
    ~LoopbackHosts();

    /// Why there are none; empty: they can be reached.
    [[nodiscard]] const std::string& obstacle() const { return m_obstacle; }
    /// PATH with an ssh first that knows them.
    [[nodiscard]] std::map<std::string, std::string> environment() const;
    /// As a file of hosts names one: with reelgrid-cli's path, and what else is asked for ("&lanes=2").
    [[nodiscard]] std::string line(int host, const std::string& further = "") const;
    [[nodiscard]] std::filesystem::path home(int host) const;
    /// Ends a host's sshd and all that it has started, as a power cut would.
    void vanish(int host);
    /// Processes below a host's sshd whose command lines have the text.
    [[nodiscard]] std::vector<int> processesOf(int host, const std::string& text) const;

  private:
    void start(int host);
    [[nodiscard]] bool answers(int host) const;

    TestFolder m_folder;
    std::vector<int> m_servers, m_ports;
    std::string m_obstacle;
};

}  // namespace reelgrid::cli
