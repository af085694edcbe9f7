#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/catalog/render_settings.h"
#include "core/denoising/video_model.h"
#include "core/execution/execution.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/parallel/rank_group.h"
#include "core/pipeline/memory_choice.h"
#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// The first act of a render: everything that can be wrong with the request itself, found before minutes are
/// spent, and what the render is to do.
struct RenderPlan {
    protocol::RenderRequest request;
    families::ModelInfo model;
    catalog::RenderSettings settings;
    int steps = 0;  ///< catalog::denoisingSteps()
    execution::Execution execution;
    MemoryChoice memory{};
    std::filesystem::path clip;
    std::map<std::string, std::string> pictureHashes;
    std::string processor;  ///< the machine's, by name; may be empty

    /// Of a render on `machine`, which is this one. `ranks`: the processes that share the render; null: this
    /// one is alone. Throws Failure.
    static RenderPlan from(const protocol::RenderRequest& request, const machine::Machine& machine,
                           parallel::RankGroup* ranks = nullptr);

    /// Whether this process writes the result: one of several does.
    [[nodiscard]] bool writes() const { return execution.rank == 0; }

    /// Settles --offload by what is free, and refuses before a GPU is filled in vain. `present`: how the
    /// model is loaded already, which on the CPU isn't changed by what else has come into memory since.
    /// Throws Failure(OutOfMemory).
    void settleMemory(const std::optional<MemoryChoice>& present);
    /// Settles --vae-tiling by what is free once the model is loaded, and refuses a render that needs more
    /// than that. Throws Failure(OutOfMemory).
    void settleTiling(const denoising::VideoModel& video);

    [[nodiscard]] LoadChoices loadChoices() const;
};

}  // namespace reelgrid::pipeline
