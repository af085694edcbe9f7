#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"

namespace reelgrid::cli {

/// One line on stderr.
void say(const std::string& line);

/// "reelgrid-cli: <message>" on stderr; returns the exit code that belongs to the error.
int fail(const Error& error);

/// The result on stdout, with a line feed. Returns the exit code: 1 when stdout can't be written to.
int printResult(const std::string& text);
int printResult(const nlohmann::json& document);

/// The words on lines of their own, broken before column 100 and indented by so many spaces; each line starts
/// with a line feed.
std::string indented(const std::string& words, std::size_t indent);

/// A number with so many decimals: "1.50".
std::string fixed(double value, int decimals);
/// Seconds as "0:07", "12:30", "1:02:03".
std::string clockTime(double seconds);
/// Bytes as "61.2 MB".
std::string byteCount(std::uint64_t bytes);

}  // namespace reelgrid::cli
