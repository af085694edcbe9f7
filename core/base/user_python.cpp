#include "core/base/user_python.h"

#include <cstdlib>

namespace reelgrid {

std::filesystem::path userPython() {
    if (const char* named = std::getenv("REELGRID_PYTHON"); named != nullptr && *named != '\0') return named;
    if (const char* environment = std::getenv("VIRTUAL_ENV"); environment != nullptr && *environment != '\0')
        return std::filesystem::path(environment) / "bin/python3";
    return "python3";
}

}  // namespace reelgrid
