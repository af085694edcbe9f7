#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace reelgrid::families {

/// An option of ours with its value, where a script's line doesn't give it.
struct ScriptDefault {
    std::string_view option;
    const char* value;
    const char* fileAtHome = "";  ///< below $HOME: that file's path is the value where it is there
};

/// A program of others whose command lines are taken as they are written (app/cli/document_programs.h).
struct Script {
    std::string_view name;                 ///< in small letters, without its ending
    std::array<std::string_view, 2> verb;  ///< ours; the second may be empty
    std::span<const ScriptDefault> defaults{};
    /// Who says how many ranks share a render where nobody started them: nobody, the degrees, or the GPUs
    /// there are.
    enum class Ranks { One, OfDegrees, OfGpus } ranks = Ranks::One;
    const char* captures = "";  ///< where they go without a folder for everything; empty: where ours go
    const char* trace = "";     ///< how it names ranks' profiles in its own folder; empty: it has no folder
    /// Whether its verb has something to do in the script's own way: files, three clips in a row.
    bool hasOwnWays = false;
};

/// Any family's; null for another name.
const Script* findScript(std::string_view name);

}  // namespace reelgrid::families
