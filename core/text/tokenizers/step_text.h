#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reelgrid::text {

/// What a tokenizer's steps may make of a prompt, which has 64 KiB at most: far more than any that is meant.
inline constexpr std::size_t kMaxStepBytes = std::size_t{1} << 20;

/// Throws Failure(InvalidData) where a step makes `bytes` and more beside them, above kMaxStepBytes together.
void requireBounded(std::size_t bytes, std::size_t more);

/// Adds `part` to what a step makes. Throws Failure(InvalidData) when there are more than kMaxStepBytes.
void appendBounded(std::string& text, std::string_view part);

}  // namespace reelgrid::text
