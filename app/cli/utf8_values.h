#pragma once

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Has every option of the program that takes a value refuse one whose bytes aren't UTF-8: requests,
/// manifests, sessions and suites are JSON, which would hold another folder's name in the place of the path
/// that was given.
void refuseOtherThanUtf8(CLI::App& program);

}  // namespace reelgrid::cli
