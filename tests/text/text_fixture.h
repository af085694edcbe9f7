#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/pending_file.h"
#include "core/base/result.h"

namespace reelgrid::text {

inline const std::filesystem::path kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/text";
inline const std::filesystem::path kDemoModel = REELGRID_SOURCE_DIR "/resources/models/wan-demo";

inline nlohmann::json fixtureJson(const std::string& name) {
    return nlohmann::json::parse(readFile(kFixtures / name).value());
}

/// Of a T5 encoder's tensors: one table of embeddings, under the name that checkpoints of encoders have.
inline bool hasOneTable(const std::string& tensor) {
    return tensor != "encoder.embed_tokens.weight";
}

/// max |a - b| / max |b|
inline double relativeError(const at::Tensor& a, const at::Tensor& b) {
    return ((a.to(at::kDouble) - b.to(at::kDouble)).abs().max() / b.to(at::kDouble).abs().max())
        .item<double>();
}

/// The message of the Failure that `run` throws, or "no failure".
template <class Run>
std::string failureOf(const Run& run) {
    try {
        run();
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "no failure";
}

}  // namespace reelgrid::text
