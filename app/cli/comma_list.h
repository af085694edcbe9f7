#pragma once

#include <string>
#include <vector>

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

}  // namespace reelgrid::cli
