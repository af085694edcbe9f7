#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// Which Python runs kernels, and who said so.
struct PythonInterpreter {
    std::filesystem::path path;
    std::string from;  ///< "REELGRID_PYTHON", "the active environment", "PATH"
};

/// $REELGRID_PYTHON, else bin/python3 of $VIRTUAL_ENV or $CONDA_PREFIX, else python3 of $PATH. NotFound
/// saying where it was looked for.
Result<PythonInterpreter> findPython();

/// "Python 3.12.3, torch 2.11.0, triton 3.6.0": asks it, without loading the two.
Result<std::string> runtimeOf(const PythonInterpreter& python);

}  // namespace reelgrid::plugins
