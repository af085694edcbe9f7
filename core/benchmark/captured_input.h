#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/benchmark/attention_benchmark.h"

namespace reelgrid::benchmark {

/// What of a folder of captures is measured.
struct CaptureSelection {
    std::filesystem::path folder;
    std::optional<MemoryOrder> order{};       ///< of the tensors in the files; absent: as they say themselves
    std::int64_t sampleRate = 1;              ///< every so many files, from the first on
    std::optional<std::int64_t> maxInputs{};  ///< the first of those
};

/// A case a file, in the order of their calls: shape, dtype, mask and scale are the file's, a causal `common`
/// stays causal, the rest is `common`'s. Every file is read, so that one that can't be measured is known
/// before any is: InvalidData or Unsupported name it.
Result<std::vector<AttentionCase>> capturedCases(const CaptureSelection& selection,
                                                 const AttentionCase& common);

/// The tensors of a captured case in its type, on the CPU.
Result<AttentionInput> readInput(const AttentionCase& wanted);

}  // namespace reelgrid::benchmark
