#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reelgrid::fuzz {

/// A parser of what others made. It may refuse bytes by an Error or a Failure; everything else that leaves it
/// is a fault: another exception, a crash, a report of a sanitizer, too much memory or time.
struct Target {
    const char* name;
    void (*read)(std::string_view bytes);
    const char* dictionary;  ///< in tests/fuzz/dictionaries; empty: none
};

std::span<const Target> targets();
const Target* targetOf(std::string_view name);

/// Reads the bytes; false where they were refused.
bool readByTarget(const Target& target, std::string_view bytes);

/// Seconds of processor time that a target may take for so many bytes: one for each KiB that was begun.
double mostSeconds(std::size_t bytes);

/// What was promised and not kept ("a request that was written can't be read"). Throws std::logic_error.
void promise(bool kept, const std::string& what);

}  // namespace reelgrid::fuzz
