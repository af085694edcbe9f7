#pragma once

#include <source_location>

#include "core/attention/dispatcher.h"
#include "core/execution/part_clock.h"
#include "core/parallel/sequence_shard.h"

namespace reelgrid::attention {

/// What every layer of a forward pass is given beside its inputs. Layers hand it on as it is; what a layer
/// has to know of the process's part in the pass (which tokens of a clip that several GPUs share) belongs
/// here, so that no signature between the transformer and its attention changes for it.
struct LayerContext {
    /// A dispatcher alone is a context without a clock.
    LayerContext(Dispatcher& attention, execution::PartClock* clock = nullptr,
                 parallel::Mesh* ranks = nullptr)
        : dispatcher(attention), parts(clock), mesh(ranks) {}

    Dispatcher& dispatcher;
    /// Is told which part of a step runs; null: nothing is measured.
    execution::PartClock* parts;
    /// Ranks that share the pass's tokens; null: this process has all.
    parallel::Mesh* mesh;
    /// Which of them the layers are given; null: all. The transformer's, which outlives its layers' passes.
    const parallel::SequenceShard* shard = nullptr;
    /// Where the tokens of the pass lie in the clip, text included where it is in the same sequence.
    TokenGrid grid{};

    /// Attention of all tokens to all tokens, of which the inputs hold this rank's: what it gives for these.
    /// It is the caller's part of a step but for what is exchanged.
    [[nodiscard]] at::Tensor attendShared(const Inputs& inputs, const CallSite& site) const;
    /// The grid of queries that attend to something else: nobody's where ranks share the tokens.
    [[nodiscard]] TokenGrid gridOfQueries() const;
    /// Every rank's tokens of x_BnC.
    [[nodiscard]] at::Tensor gather(const at::Tensor& x_BnC) const;

    /// From here to the end of the block `part` runs.
    [[nodiscard]] execution::PartScope during(
        execution::Part part, const std::source_location& here = std::source_location::current()) const {
        return execution::PartScope(parts, part, here);
    }

  private:
    [[nodiscard]] at::Tensor attendInRing(const Inputs& alone, const CallSite& site) const;
    [[nodiscard]] Inputs withStatistics(Inputs mine, const CallSite& site) const;
};

}  // namespace reelgrid::attention
