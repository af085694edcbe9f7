#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/printable.h"
#include "core/base/result.h"

namespace reelgrid::cli {

/// Where a program was started without stdin, stdout or stderr (>&-), puts something in its place: the next
/// file that is opened would be written to as if it were stdout. Reading finds the end, writing a result
/// fails.
void fillClosedStreams();

/// One line on stderr, made printable.
void say(const std::string& line);

/// "note: --option decides nothing here: why", said.
void sayIdle(const std::string& option, const std::string& why);

/// "reelgrid-cli: <message>" on stderr; returns the exit code that belongs to the error.
int fail(const Error& error);

/// The result on stdout, made printable, with a line feed. Returns the exit code: 1 when stdout can't be
/// written to.
int printResult(const std::string& text);
int printResult(const nlohmann::json& document);

/// The words on lines of their own, broken before column 100 and indented by so many spaces; each line starts
/// with a line feed.
std::string indented(const std::string& words, std::size_t indent);

/// Seconds as "0:07", "12:30", "1:02:03".
std::string clockTime(double seconds);

}  // namespace reelgrid::cli
