// REELGRID_NEW_TENSORS=nan: libtorch fills each tensor that is made without values (at::empty and its kin)
// with NaN, integers with their greatest value, so that a value which is read before anything wrote it shows,
// as no compiler's sanitizer finds it in libtorch's memory. Linked into the program and into each test as an
// object: it works before main.

#include <ATen/Context.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

bool fillNewTensors() {
    const char* asked = std::getenv("REELGRID_NEW_TENSORS");
    if (asked == nullptr || *asked == '\0') return false;
    if (std::string_view(asked) != "nan") {
        std::fprintf(stderr, "REELGRID_NEW_TENSORS: is '%s', nan was needed\n", asked);
        std::exit(2);
    }
    // libtorch fills them as part of its deterministic algorithms alone; of operations that have none it
    // warns.
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
    at::globalContext().setDeterministicFillUninitializedMemory(true);
    return true;
}

[[maybe_unused]] const bool kIsFilled = fillNewTensors();

}  // namespace
