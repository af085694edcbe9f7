#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::session {

/// One number a frame (or pair of frames) and their mean; NaN where the measure has no value.
struct FrameSeries {
    double mean = 0;
    std::vector<double> perFrame;
};

/// Times of one repetition, in seconds.
struct RunTiming {
    std::optional<double> pipeTime;
    std::optional<double> vaeDecodeTime;
    std::vector<std::pair<std::string, double>> stages;  ///< in the order load, text, denoise, decode, …
    std::vector<double> steps;

    /// The stage's seconds; absent when it was not measured.
    [[nodiscard]] std::optional<double> stage(const std::string& name) const;
};

/// What became of a render's attention calls: one entry for each (module kind, requested, used).
struct AttentionUse {
    std::string module;
    std::string requested;
    std::string used;
    std::string why;  ///< why another one ran, or what the requested one left out; empty: nothing to say
    std::uint64_t calls = 0;
    std::optional<double> seconds;
};

/// PSNR (dB) and SSIM against the clip that was rendered with `reference`.
struct Drift {
    std::string reference;
    std::string measuredOn;  ///< "decoded clips" when not on the frames before encoding, else empty
    std::optional<FrameSeries> psnr;
    std::optional<FrameSeries> ssim;
};

/// Everything that a clip's companions say of it. What was not measured is absent.
struct ClipMeasurements {
    std::vector<RunTiming> runs;
    std::optional<FrameSeries> frameCorrelation;
    std::optional<double> flickering;
    std::optional<double> warpingError;
    std::optional<Drift> drift;
    std::vector<AttentionUse> attention;
    std::optional<protocol::RenderRequest> request;  ///< as the manifest records it
    std::string framesSha256;

    /// One message for each companion that could not be read; the others count all the same.
    std::vector<Error> problems;

    /// The backends that served a kind of attention ("self", "cross"), joined by "+"; empty when unknown.
    [[nodiscard]] std::string usedAttention(const std::string& module = "self") const;
};

/// Reads timing.json, metrics.json and manifest.json of a clip, as far as they exist. Blocks on the disk;
/// safe on any thread.
ClipMeasurements readClipMeasurements(const std::filesystem::path& clip);

}  // namespace reelgrid::session
