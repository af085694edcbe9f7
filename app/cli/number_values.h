#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Has every option of the program that takes a number refuse what the parser would take for another one than
/// was meant: an empty value (--guidance-scale "", as an unset variable of a shell leaves it) for 0, leading
/// zeros for octal (--num-frames 021 for 17), 0x for hexadecimal; and blanks before it.
void refuseOddNumbers(CLI::App& program);

/// What is said of a value that the parser couldn't make what the option takes of, "Could not convert:
/// --height = tall" in its own words.
std::string wrongValue(std::string_view parsersWords);

}  // namespace reelgrid::cli
