#include "app/cli/openmp_spin.h"

#include <unistd.h>

#include <cstring>

namespace reelgrid::cli {
namespace {

const char* valueOf(const char* const* environment, const char* name) {
    const std::size_t length = std::strlen(name);
    for (; environment != nullptr && *environment != nullptr; ++environment)
        if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return nullptr;
}

}  // namespace

const char* valueInEnvironment(const char* const* environment, const char* name) {
    const char* value = valueOf(environment, name);
    if (value != nullptr || std::strcmp(name, "GOMP_SPINCOUNT") != 0) return value;
    return valueOf(environment, "OMP_WAIT_POLICY") == nullptr ? kShortSpinning : nullptr;
}

}  // namespace reelgrid::cli

/// In the place of the C library's, for the libraries too: no initialiser has run when some of them call it.
extern "C" __attribute__((visibility("default"))) char* getenv(const char* name) noexcept {
    return const_cast<char*>(reelgrid::cli::valueInEnvironment(environ, name));
}
