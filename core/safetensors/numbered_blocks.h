#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::safetensors {

/// Whether a tensor's name begins so.
bool hasBelow(const TensorEntries& tensors, const std::string& prefix);

/// How many blocks there are in a row, "PREFIX0.", "PREFIX1.", whatever each of them lacks.
std::int64_t blocksInRow(const TensorEntries& tensors, const std::string& prefix);

/// A tensor below the prefix that is of none of the first `blocks`; empty where there is none.
std::string tensorBehindBlocks(const TensorEntries& tensors, const std::string& prefix, std::int64_t blocks);

/// InvalidData naming the file, such a tensor, and the block that was needed before it.
Error blockMissing(const std::string& file, const std::string& behind, std::int64_t block);

}  // namespace reelgrid::safetensors
