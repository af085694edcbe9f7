#include "core/pipeline/loop_resume.h"

#include <string_view>

namespace reelgrid::pipeline {
namespace {

constexpr const char* kLatents = "latents";
/// Of the sampler's tensors in a resume point.
constexpr std::string_view kSchedulerPrefix = "scheduler.";

}  // namespace

at::Tensor takeUp(const ResumePoint& point, schedulers::Scheduler& scheduler, at::Device device) {
    schedulers::SchedulerState state;
    for (const auto& [name, tensor] : point.tensors)
        if (name.starts_with(kSchedulerPrefix))
            state[name.substr(kSchedulerPrefix.size())] = tensor.to(device);
    scheduler.restore(point.done, state);
    return point.tensors.at(kLatents).to(device);
}

void keepPoint(ResumePoints* points, int done, const at::Tensor& latents,
               const schedulers::Scheduler& scheduler, const AddToPoint& add, StageClock& clock) {
    if (points == nullptr || !points->wants(done)) return;
    const auto state = scheduler.state();
    if (!state) return;
    clock.aside(kSaveStage, [&] {
        ResumePoint point{done, {{kLatents, latents}}};
        for (const auto& [name, tensor] : *state)
            point.tensors[std::string(kSchedulerPrefix) + name] = tensor;
        if (add) add(point.tensors);
        points->keep(point);
    });
}

}  // namespace reelgrid::pipeline
