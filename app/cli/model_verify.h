#pragma once

#include <string>

namespace reelgrid::cli {

/// `models verify`: one line a fault on stdout, or one document; the exit code.
int verifyModel(const std::string& idOrFolder, bool asDocument);

}  // namespace reelgrid::cli
