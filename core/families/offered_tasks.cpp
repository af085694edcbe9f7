#include "core/families/offered_tasks.h"

#include <algorithm>

namespace reelgrid::families {

void offer(ModelInfo& model, std::vector<Task> tasks) {
    model.tasks = std::move(tasks);
    model.defaults.task = model.tasks.front().name;
    const auto any = [&](Need Task::*picture) {
        return std::ranges::any_of(model.tasks, [&](const Task& task) { return task.*picture != Need::No; });
    };
    if (any(&Task::image))
        model.extraFields.insert(model.extraFields.end(), {"img_file_path", "force_output_size"});
    if (any(&Task::lastImage)) model.extraFields.push_back("last_img_file_path");
}

}  // namespace reelgrid::families
