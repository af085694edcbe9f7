#include "core/families/offered_tasks.h"

#include <algorithm>

namespace reelgrid::families {
namespace {

bool anyTakes(const ModelInfo& model, Need Task::*given) {
    return std::ranges::any_of(model.tasks, [&](const Task& task) { return task.*given != Need::No; });
}

}  // namespace

void offer(ModelInfo& model, std::vector<Task> tasks) {
    model.tasks = std::move(tasks);
    model.defaults.task = model.tasks.front().name;
    if (takesPictures(model))
        model.extraFields.insert(model.extraFields.end(),
                                 {"img_file_path", "force_output_size", "picture_fit"});
    if (anyTakes(model, &Task::lastImage)) model.extraFields.push_back("last_img_file_path");
}

bool takesPictures(const ModelInfo& model) {
    return anyTakes(model, &Task::image);
}

bool takesPrompts(const ModelInfo& model) {
    return anyTakes(model, &Task::prompt);
}

}  // namespace reelgrid::families
