#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reelgrid::cli {

/// What help calls the values of such an option.
inline constexpr const char* kCommaListType = "LIST";

enum class EmptyEntries { Refused, Kept };

/// An option whose values are lists: `--types sdpa,fav2` and `--types sdpa fav2` are the same. An empty
/// entry, as an unset variable of a shell leaves it ("sdpa,$OTHER"), is refused, or one of the list.
CLI::Option* addCommaList(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                          const std::string& help, EmptyEntries empty = EmptyEntries::Refused);

/// Of a verb that takes files, too: where they may stand beside its lists. `files` is what help calls them.
void describeListsBesideFiles(CLI::App& command, const std::string& option, const std::string& files);

/// Lets a list whose first word has a comma end with that word, where the verb that `arguments` name takes
/// files: those of `--labels a,b one.mp4 two.mp4` are no labels. Of a list without commas all words are.
void endListsAtCommas(CLI::App& program, const std::vector<std::string>& arguments);

/// Refuses a list that has an existing file in it, to be asked where the verb's own files are missed.
Result<void> requireNoFiles(const std::string& option, const std::vector<std::string>& entries);

}  // namespace reelgrid::cli
