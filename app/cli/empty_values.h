#pragma once

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Has every option of the program that takes a number refuse an empty value (--guidance-scale "", as an
/// unset variable of a shell leaves it), which the parser would take for 0.
void refuseEmptyNumbers(CLI::App& program);

}  // namespace reelgrid::cli
