#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Has every option of the program that takes a number refuse an empty value (--guidance-scale "", as an
/// unset variable of a shell leaves it), which the parser would take for 0.
void refuseEmptyNumbers(CLI::App& program);

/// What is said of a value that the parser couldn't make what the option takes of, "Could not convert:
/// --height = tall" in its own words.
std::string wrongValue(std::string_view parsersWords);

}  // namespace reelgrid::cli
