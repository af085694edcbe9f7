#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// Which Python runs kernels, and who said so.
struct PythonInterpreter {
    std::filesystem::path path;
    std::string from;  ///< the variable: "REELGRID_PYTHON", "VIRTUAL_ENV", "PATH"
};

/// userPython() as a file that is there; NotFound saying where it was looked for.
Result<PythonInterpreter> findPython();

/// "Python 3.12.3, torch 2.11.0, triton 3.6.0": asks it, without loading the two.
Result<std::string> runtimeOf(const PythonInterpreter& python);

}  // namespace reelgrid::plugins
