#pragma once

namespace reelgrid::widgets {
class IssuePanel;
class JobPanel;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class GridExport;

/// Shows exports as jobs, with progress and cancel; one that fails is an issue too.
void showExportsAsJobs(GridExport* exports, widgets::JobPanel* jobs, widgets::IssuePanel* issues);

}  // namespace reelgrid::studio
