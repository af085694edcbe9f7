#pragma once

#include <vector>

#include "core/machine/machine.h"
#include "widgets/measure/kept_map_form.h"
#include "widgets/panels/backend_boxes.h"

namespace reelgrid::studio {

/// The machine's attention backends, as the editor offers them: those of devices that can be used.
std::vector<widgets::BackendChoice> backendChoices(const machine::Machine& machine);

/// Those of ours that leave blocks out, for maps of what they keep.
std::vector<widgets::SparseBackend> sparseBackends(const machine::Machine& machine);

}  // namespace reelgrid::studio
