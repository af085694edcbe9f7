#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/inputs.h"
#include "core/capture/capture_plan.h"
#include "core/pt/value.h"

namespace reelgrid::capture {

/// A render as its captures name it.
struct CaptureSource {
    std::string kernel;    ///< what its attention is called: "fav2", "fav2+policy-3f2a"
    std::string model;     ///< demo, hub id or folder
    std::string settings;  ///< of the render, JSON
    int rank = 0;
    int ranks = 1;
};

/// The content of a capture file: upstream's keys and what upstream leaves out. The tensors are copied to the
/// CPU with their strides' order, without gaps.
pt::Value captureOf(const attention::Inputs& inputs, const CallPlace& place, std::int64_t callIndex,
                    const CaptureSource& source);

/// Bytes of the tensors that it copies.
std::uint64_t bytesOf(const attention::Inputs& inputs);

/// What became of the calls of a render.
struct CaptureSummary {
    std::vector<attention::CallShape> shapes;  ///< that occurred
    std::vector<std::uint32_t> history;        ///< for each call its place in `shapes`
    std::int64_t saved = 0;
    std::int64_t maxCaptures = 0;  ///< 0: all
    std::string why;               ///< why fewer were saved than were asked for
    bool renderFinished = false;
};

/// The content of <kernel>_metadata.pt.
pt::Value metadataOf(const CaptureSummary& summary, const CaptureSource& source);

}  // namespace reelgrid::capture
