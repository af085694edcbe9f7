#pragma once

#include "core/jobs/job.h"
#include "core/result/interrupted_renders.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

/// What the window says of a render: the job panel in its row, the grid in its tile.
widgets::JobView viewOf(const jobs::Job& job);

/// The row of a render that an earlier window, or the command line, left unfinished.
widgets::JobView viewOf(const result::InterruptedRender& render);

}  // namespace reelgrid::studio
