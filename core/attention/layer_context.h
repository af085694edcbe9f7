#pragma once

#include "core/attention/dispatcher.h"
#include "core/execution/part_clock.h"

namespace reelgrid::attention {

/// What every layer of a forward pass is given beside its inputs. Layers hand it on as it is; what a layer
/// has to know of the process's part in the pass (which tokens of a clip that several GPUs share) belongs
/// here, so that no signature between the transformer and its attention changes for it.
struct LayerContext {
    /// A dispatcher alone is a context without a clock.
    LayerContext(Dispatcher& attention, execution::PartClock* clock = nullptr)
        : dispatcher(attention), parts(clock) {}

    Dispatcher& dispatcher;
    /// Is told which part of a step runs; null: nothing is measured.
    execution::PartClock* parts;

    /// From here to the end of the block `part` runs.
    [[nodiscard]] execution::PartScope during(execution::Part part) const {
        return execution::PartScope(parts, part);
    }
};

}  // namespace reelgrid::attention
