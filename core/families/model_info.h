#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/families/model_source.h"
#include "core/protocol/attention_call.h"
#include "core/protocol/render_fields.h"

namespace reelgrid::families {

/// The values of a render whose request leaves them open. An empty dtype stands for the fastest at equal
/// quality on the device.
struct RenderDefaults : protocol::RenderFields<protocol::Given> {};

/// The sizes that patches and strides allow: multiples of one number.
struct SizeRule {
    int sizeMultiple = 1;  ///< of width and height: VAE stride × patch
    int maxSize = 16384;   ///< of width and height

    [[nodiscard]] bool allows(int side) const {
        return side >= sizeMultiple && side <= maxSize && side % sizeMultiple == 0;
    }
    /// "a multiple of 16 from 16 to 16384"
    [[nodiscard]] std::string words() const;
};

/// The frame counts that a model makes: stride·k + first, k ≥ 0, up to `most` (Wan: 4·k + 1; a model that
/// takes any count has stride 1).
struct FrameRule {
    int stride = 1;
    int first = 1;
    int most = 1024;

    [[nodiscard]] bool allows(int frames) const {
        return frames >= first && frames <= most && (frames - first) % stride == 0;
    }
    /// "4·k + 1 from 1 to 4093"
    [[nodiscard]] std::string words() const;
};

enum class Need { No, Optional, Required };

/// Something that a model can be asked for, and what it must be given.
struct Task {
    std::string name;              ///< as --task spells it: "t2v", "i2v"
    Need prompt = Need::Required;  ///< an empty prompt is a prompt
    Need image = Need::No;         ///< that the clip begins with
    Need lastImage = Need::No;     ///< that it ends with
};

struct ComponentInfo {
    std::string name;              ///< folder: transformer, text_encoder, vae, tokenizer, scheduler
    std::string className;         ///< as model_index.json names it
    std::filesystem::path path{};  ///< its folder or file; empty where it needs none
    std::vector<std::filesystem::path> files{};  ///< sorted
    std::uint64_t bytes = 0;
    std::int64_t parameters = 0;      ///< elements of all stored tensors; 0 for components without weights
    std::vector<std::string> dtypes;  ///< as stored: F32, BF16, …
};

/// What was published of a model for step caches (protocol::StepCache::curve); empty: nothing.
struct StepCacheCurves {
    std::vector<double> teacache, magcache;
    std::string model{};  ///< whose a file says that they are; empty: nobody says otherwise
};

struct ModelInfo {
    std::string id;                     ///< "demo", the hub id, or the folder as it was given
    std::string title;                  ///< for people
    std::string family;                 ///< "wan2.1"
    std::filesystem::path folder;       ///< or the file: the base of the source
    std::vector<ModelPart> parts{};     ///< the source's others
    std::filesystem::path indexFile{};  ///< model_index.json; empty in a layout without one
    std::vector<Task> tasks;            ///< the first is the usual one
    RenderDefaults defaults;
    SizeRule sizes;
    FrameRule frames;
    /// Names of the request's fields that only some families have a use for (flow_shift, scheduler, …).
    std::vector<std::string> extraFields;
    std::vector<std::string> schedulers;  ///< that can take the place of the checkpoint's own
    /// A GPU render's dtype and random numbers where the request leaves them open.
    std::string gpuDtype = "bf16", gpuGenerator = "cpu";
    /// Whether a GPU's VAE computes in the transformer's dtype where the request says nothing; else fp32.
    bool gpuVaeFollowsDtype = false;
    /// Whether linear layers are stored in int8, which products are in unless asked otherwise.
    bool storesInt8 = false;
    /// Whether the defaults' width and height are the only size.
    bool isSizeFixed = false;
    /// The prompt where none is given; empty: one has to be.
    std::string usualPrompt;
    /// Clips are called <clipPrefix>_<attention type>.mp4; empty: as run_wan calls them.
    std::string clipPrefix;
    int layers = 0;  ///< places of attention, counted from 0 in the order of a forward pass
    std::vector<protocol::ModuleKind> attentionKinds;  ///< that each layer has
    StepCacheCurves stepCacheCurves{};
    std::vector<ComponentInfo> components;

    [[nodiscard]] ModelSource source() const { return {folder, parts}; }
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] const Task* task(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> taskNames() const;
    /// The components that lie elsewhere than in the model's folder (another source's, or found beside a
    /// file).
    [[nodiscard]] std::vector<const ComponentInfo*> componentsElsewhere() const;
    /// Whether the family has a use for a field that only some have (extraFields).
    [[nodiscard]] bool takes(std::string_view field) const;
    /// The defaults beside a sampler that is asked for. rCM's make one pass a step: without guidance,
    /// whatever the model's own is.
    [[nodiscard]] RenderDefaults defaultsWith(const std::optional<std::string>& scheduler) const;
};

}  // namespace reelgrid::families
