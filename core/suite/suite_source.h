#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid::suite {

/// What a suite's file says, whichever of its two languages it is written in.
struct SuiteSource {
    std::string name;                  ///< for messages: the file
    nlohmann::json document;           ///< an object
    std::map<std::string, int> lines;  ///< of its keys, from 1; empty of JSON, which keeps none

    /// An error about one of the keys, which it may call by its option, with the file and, where it is known,
    /// the line that the key is in.
    [[nodiscard]] Error place(const Error& error) const;
};

/// An untrusted file, TOML where its name ends in .toml, else JSON. NotFound, Io, or BadUsage naming the
/// file, the place and what is wrong.
Result<SuiteSource> readSuiteSource(const std::filesystem::path& file);

/// Untrusted TOML; tables and lists become JSON's. BadUsage for what is no TOML, and for what JSON lacks:
/// dates, times, numbers that aren't finite.
Result<SuiteSource> suiteSourceFromToml(std::string_view text, const std::string& name);

}  // namespace reelgrid::suite
