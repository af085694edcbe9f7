#pragma once

#include <string>
#include <vector>

#include "core/benchmark/attention_shape.h"
#include "core/benchmark/fenced_tensor.h"

namespace reelgrid::benchmark {

/// What the values of a checked call are like.
enum class CheckValues {
    Normal,
    Outliers,        ///< a thousandth of the values ten times as wide
    OutlierChannel,  ///< one channel of Q and K twenty times as wide
    Sink,            ///< the first 4 keys draw the weight
    BiasedKeys,      ///< every key moved by the same large vector
    LargeOffset,     ///< Q and K far from 0: scores of hundreds
    Opposed,         ///< every score far below 0, where padding keys would win
    Zeros,
};

enum class KeyBias { Absent, Given };

/// One call that a kernel's accuracy is judged by. What tells the cases of one type apart is in the name.
struct CheckCase {
    std::string name;  ///< "lengths 113×203"
    AttentionShape shape;
    kernels::DataType type = kernels::DataType::Float32;
    CheckValues values = CheckValues::Normal;
    Layout layout = Layout::TokensFirst;
    kernels::Mask mask = kernels::Mask::None;
    KeyBias keyBias = KeyBias::Absent;
};

/// The suite, all of it in fp32, then in bf16, then in fp16: odd lengths and tails, head dims, batches and
/// layouts, shared key heads, causal masks, key biases, and values that kernels have failed on.
std::vector<CheckCase> checkCases();

}  // namespace reelgrid::benchmark
