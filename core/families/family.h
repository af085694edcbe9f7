#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/families/model_index.h"
#include "core/families/model_info.h"
#include "core/families/model_layout.h"
#include "core/families/script.h"

namespace reelgrid::families {

/// A kind of model within a family, as diffusers has a pipeline for it.
struct Pipeline {
    std::string_view name;       ///< "wan2.1": ModelInfo::family
    std::string_view title;      ///< "Wan 2.1 text-to-video"
    std::string_view className;  ///< of diffusers, that this version runs: "WanPipeline"
    /// Folders that a model must have, in the order in which they are listed.
    std::span<const std::string_view> components;
    bool (*recognises)(const ModelIndex& index);
    /// Everything of ModelInfo but id, title, folder and components. Unsupported or InvalidData naming what
    /// is wrong.
    Result<ModelInfo> (*describe)(const ModelIndex& index);
    /// Folders that it may have, too, where the index names them.
    std::span<const std::string_view> optionalComponents = {};
    /// Whether a model whose index names none of that component is whole nevertheless; null: none is.
    bool (*goesWithout)(const ModelIndex& index, std::string_view component) = nullptr;
};

/// A model of the hub that this version runs as it is published.
struct KnownModel {
    std::string_view id;     ///< as --model and `models download` take it
    std::string_view title;  ///< for people
};

/// A miniature that comes with the program, in the folder of resources.
struct Miniature {
    std::string_view name;     ///< as --model takes it
    std::string_view folder;   ///< below models/
    std::string_view prompt;   ///< what it is good at, rendered where nothing else is asked for
    std::string_view picture;  ///< to begin with where no other is given, below prompts/; empty: none
};

/// What a model of the hub comes without that is one bare file of weights, and where on the hub it is.
struct Companion {
    std::string_view component;
    std::string_view file;  ///< OWNER/NAME/FILE; of a tokenizer one of its folder's files
};

/// A family's addition to the help of a request's field.
struct FieldNote {
    std::string_view key;   ///< of protocol::RenderField
    std::string_view text;  ///< empty: the family's title alone, which says whose field it is
};

/// An attention call of a published model, of one guidance branch.
struct AttentionPreset {
    std::string_view name;   ///< as bench attention's --shape takes it
    std::string_view shape;  ///< B,H,N,D or B,H,N,D,Nk
    std::string_view origin;
};

/// A model family, without libtorch: catalog, checks, command line and studio iterate these. Its facts are in
/// core/families/<name>/, its model code in core/models/<name>/, which
/// a denoising::FamilyModel there names.
struct Family {
    std::string_view name;   ///< of its folders: "wan"
    std::string_view title;  ///< for people: "Wan"
    std::span<const Pipeline> pipelines;
    /// Samplers that can take the checkpoint's place, by --scheduler's names among those for what the
    /// family's models predict (schedulers::schedulerList()).
    std::span<const std::string_view> schedulers;
    std::span<const LayoutReader> layouts;    ///< other forms than diffusers' folder
    std::span<const KnownModel> knownModels;  ///< in the order in which they are listed
    std::span<const Miniature> miniatures;    ///< likewise
    std::span<const FieldNote> notes;
    /// Tokens are latent frames × height × width after patching, as the checkpoints' own configs have them; a
    /// UNet is represented by its highest resolution, which takes most of its attention time.
    std::span<const AttentionPreset> attentionPresets;
    /// What others' command lines call the sizes of a transformer that they name by its file (--dit-path).
    std::span<const std::string_view> scriptNames{};
    std::span<const Companion> companions{};
    std::span<const Script> scripts{};  ///< whose command lines are taken as they are written
    /// Clips whose names begin so are called <ModelInfo::clipPrefix>_<attention>.mp4; empty: the family's
    /// clips have the names that all others have (comparison::clipName()).
    std::string_view clipPrefix;
};

/// All of them.
std::span<const Family> families();

/// The first of any family that recognises a model; null where none does.
const Pipeline* pipelineOf(const ModelIndex& index);

}  // namespace reelgrid::families
