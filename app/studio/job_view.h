#pragma once

#include "core/jobs/job.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

/// What the window says of a render: the job panel in its row, the grid in its tile.
widgets::JobView viewOf(const jobs::Job& job);

}  // namespace reelgrid::studio
