// What libFuzzer calls: --target=NAME says which parser; --list prints them with their dictionaries.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "tests/fuzz/target.h"

namespace {

const reelgrid::fuzz::Target* target = nullptr;

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    constexpr const char* kOption = "--target=";
    for (int i = 1; i < *count; ++i) {
        const char* argument = (*arguments)[i];
        if (std::strcmp(argument, "--list") == 0) {
            for (const auto& row : reelgrid::fuzz::targets())
                std::printf("%s %s\n", row.name, row.dictionary);
            std::exit(0);
        }
        if (std::strncmp(argument, kOption, std::strlen(kOption)) == 0)
            target = reelgrid::fuzz::targetOf(argument + std::strlen(kOption));
    }
    if (target == nullptr) {
        std::fprintf(stderr, "reelgrid_fuzz: --target=NAME was needed, one of those that --list prints\n");
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const double before = processorSeconds();
    reelgrid::fuzz::readByTarget(*target, {reinterpret_cast<const char*>(bytes), size});
    const double seconds = processorSeconds() - before;
    if (seconds > reelgrid::fuzz::mostSeconds(size)) {
        std::fprintf(stderr, "%s took %.1f s for %zu bytes, at most %.0f were allowed\n", target->name,
                     seconds, size, reelgrid::fuzz::mostSeconds(size));
        std::abort();
    }
    return 0;
}
