#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/attention_call.h"
#include "core/protocol/call_map.h"
#include "core/protocol/capture_record.h"
#include "core/protocol/render_request.h"

namespace reelgrid::result {

/// That a render was profiled, so that its times have the profiler's in them, and which part of it.
struct ProfileRecord {
    std::string trace;  ///< relative to the result folder when it is in there
    int firstStep = 0;
    int steps = 0;
    bool decode = false;  ///< whether the trace has the decode, too
};

/// Memory of the device.
struct MemoryRecord {
    std::string offload;   ///< "none" or "blocks": where the network's blocks were meanwhile
    int weightShards = 1;  ///< ranks of which each held one part of the blocks
    std::optional<std::uint64_t> predictedPeak{}, measuredPeak{};  ///< bytes at the fullest moment
};

/// What products of linear layers ran in, where FP8 was asked for.
struct GemmRecord {
    std::string requested;  ///< "fp8"
    std::string used;       ///< the same, or the dtype in which the rounded values were multiplied
    std::string why;        ///< they differ; empty where they don't
};

/// How the frames of an image model's clip came to see each other.
struct TemporalRecord {
    std::string form;  ///< "module": in the network's blocks; "latents": over the latents that come out
    double alpha = 0;  ///< how strongly
    std::string why;   ///< that form; may be empty
};

/// The frames without loss, beside the clip.
struct KeptFrames {
    std::uint64_t bytes = 0;
    std::string sha256;  ///< of the file
};

/// How much of a render a step cache stood for.
struct StepCacheRecord {
    protocol::StepCache cache{};
    int passes = 0, skipped = 0;      ///< of the last repetition
    std::vector<int> skippedPerStep;  ///< the same, step by step
};

/// A plug-in whose backend a render asked for: which file it was.
struct PluginRecord {
    std::string backend;  ///< as --attention-type takes it
    std::string file;
    std::string sha256;                    ///< of that file
    std::string version;                   ///< as the plug-in says; may be empty
    std::string interpreter{}, runtime{};  ///< of a kernel in Python: who ran it, its versions
};

/// What a finished render says of itself. What an older file lacks is empty.
struct Manifest {
    std::optional<protocol::RenderRequest> request;   ///< as it was asked
    std::optional<catalog::RenderSettings> settings;  ///< as it ran, every default filled in
    std::map<std::string, std::string>
        versions;              ///< "reelgrid", "libtorch"; on a GPU "cuda", "cudnn", "driver"
    std::string device;        ///< "cpu", "cuda:0"
    std::string deviceName{};  ///< of a GPU
    std::string engine{};      ///< another program that rendered it, "diffusers 0.40.0"; empty: this one
    std::string machine{};     ///< another one's name, which rendered it for this one; empty: this one
    int threads = 0;
    std::string instructionSet{};  ///< of the CPU's kernels: "avx512"; empty on a GPU
    std::string processor{};       ///< the CPU's name; empty on a GPU
    std::string modelId;
    /// Where those components lie that aren't in the model's folder (families::componentsElsewhere).
    std::map<std::string, std::string> modelPaths{};
    std::map<std::string, std::string> modelHashes;      ///< SHA-256 of each component (component_hash.h)
    std::map<std::string, std::string> pictureHashes{};  ///< SHA-256 of the request's (picture_hashes.h)
    std::vector<protocol::CallRecord> attention;
    std::vector<PluginRecord> plugins{};  ///< of the backends that attention and lockstep asked for
    protocol::CallMaps calls{};           ///< the same layer by layer and step by step; empty: not recorded
    std::optional<protocol::CaptureRecord> captures{};  ///< absent: attention's inputs were not saved
    std::optional<ProfileRecord> profile{};
    std::optional<StepCacheRecord>
        stepCache{};  ///< absent: every pass ran whole, none was asked to be skipped
    /// After which steps it was taken up by another process; empty: made in one go.
    std::vector<int> resumedAt{};
    std::string framesSha256;                ///< of the RGB frames before encoding
    std::string clipSha256;                  ///< of the clip's file: ties it to its companions
    std::string timingSha256{};              ///< of timing.json; empty: not said, as by earlier versions
    std::string latentsSha256{};             ///< of latents.safetensors; likewise
    std::optional<KeptFrames> keptFrames{};  ///< absent: none were kept
    std::optional<MemoryRecord> memory{};
    std::optional<GemmRecord> gemms{};
    /// What the model has to say of this render: what of a prompt it didn't see.
    std::vector<std::string> remarks{};
    std::optional<TemporalRecord> temporal{};  ///< absent: no image model's clip, or frames apart

    /// Null when the backend was ours, or wasn't asked for.
    [[nodiscard]] const PluginRecord* pluginOf(const std::string& backend) const;
    /// The backends that served a kind of attention, joined by "+"; empty when unknown.
    [[nodiscard]] std::string usedAttention(protocol::ModuleKind kind = protocol::ModuleKind::Self) const;
    /// What the render's attention is called: "fav2", "fav2+policy-3f2a"; empty when unknown.
    [[nodiscard]] std::string attentionName() const;
};

/// manifest.json: request, settings, seed, versions, device, model, attention, frames_sha256, clip_sha256.
nlohmann::json toJson(const Manifest& manifest);

/// InvalidData naming what is wrong.
Result<Manifest> manifestFromJson(const nlohmann::json& object);

}  // namespace reelgrid::result
