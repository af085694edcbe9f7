#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid {

/// Arrays and objects within each other that a document may have: nlohmann copies and prints recursively, so
/// a deeper one could overflow the stack, and a file of brackets alone would make a tree of gigabytes.
inline constexpr int kMaxJsonDepth = 64;

enum class JsonDialect {
    Standard,
    /// Takes NaN, Infinity and -Infinity, which Python's json module writes: they become those texts, since
    /// nothing here has a use for such a number; a getter that needs a finite one names key and value.
    Python,
};

/// What becomes of a key that an object has twice.
enum class RepeatedKeys {
    LastCounts,  ///< as in Python: of files that other programs write
    Refused,     ///< of those that people write for this one: nobody knows which was meant
};

/// Parses untrusted JSON. InvalidData says that `what` is not JSON and where, is nested too deeply, or which
/// key is there twice.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& what,
                                 JsonDialect dialect = JsonDialect::Standard,
                                 RepeatedKeys keys = RepeatedKeys::LastCounts);

/// Reads an untrusted JSON object, as Python may have written it, from a file of at most `maxBytes`. Fails
/// with NotFound, Io, or InvalidData naming the file and what is wrong.
Result<nlohmann::json> readJsonObject(const std::filesystem::path& path,
                                      std::size_t maxBytes = std::size_t{64} << 20,
                                      RepeatedKeys keys = RepeatedKeys::LastCounts);

/// Prints on one line (or indented by two); text that is not UTF-8 gets replacement characters instead of
/// failing.
std::string printJson(const nlohmann::json& json);
std::string printJsonIndented(const nlohmann::json& json);

/// The value as a message can show it: one line, shortened when long.
std::string showJson(const nlohmann::json& json);

}  // namespace reelgrid
