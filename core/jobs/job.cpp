#include "core/jobs/job.h"

namespace reelgrid::jobs {

const char* nameOf(JobState state) {
    switch (state) {
        case JobState::Queued:
            return "queued";
        case JobState::Running:
            return "running";
        case JobState::Done:
            return "done";
        case JobState::Failed:
            return "failed";
        case JobState::Cancelled:
            return "cancelled";
    }
    return "failed";
}

}  // namespace reelgrid::jobs
