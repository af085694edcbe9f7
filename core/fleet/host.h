#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::fleet {

/// A machine that renders, as a file of hosts or the studio names it:
///
///   here                                  this machine
///   ssh://user@host:port?device=cuda:0    through OpenSSH; user and port as its config says
///   slurm:partition?gpus=1&time=2:00:00   a job of srun
///
/// After the ?: device (cuda:0,cuda:1: a lane each), lanes (so many on each device), program (reelgrid-cli's
/// path there); for Slurm also options of srun: gpus, time, account, qos, constraint, nodelist, mem,
/// cpus-per-task, reservation.
struct Host {
    enum class Via { Here, Ssh, Slurm };
    Via via = Via::Here;
    std::string text;    ///< as it is written
    std::string target;  ///< "user@host" or the partition; empty where Slurm chooses, and here
    int port = 0;        ///< 0: as OpenSSH's config says
    std::vector<std::string> devices{};
    int lanes = 1;
    std::string program = "reelgrid-cli";
    std::vector<std::pair<std::string, std::string>> srunOptions{};

    /// What it is called: its text without what comes after the ?.
    [[nodiscard]] std::string name() const;
};

/// BadUsage naming the text and what was needed.
Result<Host> hostNamed(const std::string& text);

/// One host a line; empty lines and what follows a # are passed over. BadUsage naming line and `what` they
/// are of.
Result<std::vector<Host>> hostsNamed(const std::string& lines, const std::string& what);

/// The same of a file; NotFound where there is none.
Result<std::vector<Host>> readHosts(const std::filesystem::path& file);

/// How to start reelgrid-cli there.
struct HostCommand {
    std::string program;  ///< "ssh", "srun", or reelgrid-cli itself
    std::vector<std::string> arguments;
};
/// `arguments` follow reelgrid-cli's name; not for a host that is here.
HostCommand commandOn(const Host& host, const std::vector<std::string>& arguments);

}  // namespace reelgrid::fleet
