#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// The hidden option that names such a script to verbs, which then do what it does beside ours: its files,
/// its row of three clips, its clips of other runs.
inline constexpr const char* kAsScript = "--as-script";

/// The command line of a script whose users this program has (families::Script), as ours: its verb, its own
/// defaults, our spelling. What begins with anything else comes back as it is. `program` is the name that
/// this program was started by, which may be such a script's (a link). `gpus` says how many this machine has.
/// Says on stderr what of the line means nothing here.
std::vector<std::string> withScriptsTranslated(const std::string& program, std::vector<std::string> arguments,
                                               const std::function<int()>& gpus);

/// Where the line is such a script's, the help of its verb names the script and has its defaults.
void describeScript(CLI::App& program, const std::string& started, const std::vector<std::string>& arguments);

}  // namespace reelgrid::cli
