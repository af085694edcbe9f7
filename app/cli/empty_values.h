#pragma once

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Has every option of the program that takes text refuse an empty one (--fps "", as an unset variable of a
/// shell leaves it), which isn't the same as not giving it. Prompts and labels may be empty.
void refuseEmptyTexts(CLI::App& program);

}  // namespace reelgrid::cli
