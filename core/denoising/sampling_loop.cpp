#include "core/denoising/sampling_loop.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/denoising/chained_clip.h"
#include "core/execution/trace_range.h"
#include "core/result/resume_story.h"

namespace reelgrid::denoising {
namespace {

constexpr const char* kLatents = "latents";
/// Of the sampler's tensors in a resume point.
constexpr std::string_view kSchedulerPrefix = "scheduler.";

void requireShape(const ResumePoint& point, const std::string& name, const at::Tensor& tensor,
                  at::IntArrayRef shape) {
    if (tensor.sizes() == shape && tensor.is_floating_point()) return;
    std::ostringstream text;
    text << point.source << ": " << name << " is a tensor of " << tensor.sizes() << ", "
         << c10::toString(tensor.scalar_type()) << "; one of " << shape << " in floating point was needed";
    throw Failure(ErrorCode::InvalidData, text.str());
}

/// Of latents [B, C, T, H, W] the shape without T; other shapes as they are.
std::vector<std::int64_t> oneFrameOf(at::IntArrayRef shape) {
    std::vector<std::int64_t> one = shape.vec();
    if (one.size() == 5) one.erase(one.begin() + 2);
    return one;
}

}  // namespace

SamplingLoop::SamplingLoop(Denoiser& denoiser, LoopFollowers followers, at::Device device, StageClock& clock)
    : m_denoiser(denoiser),
      m_scheduler(denoiser.scheduler()),
      m_followers(std::move(followers)),
      m_device(device),
      m_clock(clock) {}

at::Tensor SamplingLoop::run(attention::Dispatcher& attention) {
    const int steps = static_cast<int>(m_scheduler.timesteps().size());
    const auto start = m_followers.resume != nullptr ? m_followers.resume->takeStart() : std::nullopt;
    if (start) result::requireStepsWithin(start->source, start->done, steps);
    const int first = start ? start->done : 0;
    m_denoiser.begin(std::min(first, steps - 1));
    at::Tensor latents = m_denoiser.initialLatents();
    if (start) latents = restored(*start, latents.sizes());

    m_clock.begin("denoise", steps, first);
    for (int step = first; step < steps; ++step) {
        latents = next(latents, step, attention);
        m_finite.look(step + 1, steps, latents);
        m_clock.advance(step + 1);
        keepPoint(step + 1, steps, latents);
    }
    m_clock.end();
    m_finite.require();
    latents = m_denoiser.finished(m_denoiser.afterSteps(std::move(latents), attention));
    for (StepObserver* observer : m_followers.observers) observer->denoised(latents);
    return latents;
}

at::Tensor SamplingLoop::next(const at::Tensor& latents, int step, attention::Dispatcher& attention) {
    const auto predict = [&denoiser = m_denoiser, input = m_scheduler.scaleModelInput(latents, step),
                          step](attention::Dispatcher& with) { return denoiser.predict(input, step, with); };
    const at::Tensor predicted = predict(attention);
    for (StepObserver* observer : m_followers.observers) observer->predicted(step, latents, predict);
    const execution::TraceRange range([] { return "sampler"; });
    return m_scheduler.step(predicted, step, latents);
}

/// Makes sampler and denoiser what they were at the point; the latents there, which have the shape of the
/// first.
at::Tensor SamplingLoop::restored(const ResumePoint& point, at::IntArrayRef shape) {
    requireShape(point, kLatents, point.tensors.at(kLatents), shape);
    schedulers::SchedulerState state;
    for (const auto& [name, tensor] : point.tensors) {
        if (!name.starts_with(kSchedulerPrefix)) continue;
        const bool isOfOneFrame = name == std::string(kSchedulerPrefix) + kHeldNoise;
        if (tensor.is_floating_point())
            requireShape(point, name, tensor, isOfOneFrame ? oneFrameOf(shape) : shape.vec());
        state[name.substr(kSchedulerPrefix.size())] = tensor.to(m_device);
    }
    try {
        m_scheduler.restore(point.done, state);
        m_denoiser.restore(point.tensors);
    } catch (const Failure& failure) {
        throw Failure(failure.error().in(point.source));
    } catch (const c10::Error& failure) {
        throw Failure(ErrorCode::InvalidData,
                      point.source + ": " + inOneLine(failure.what_without_backtrace()));
    }
    return point.tensors.at(kLatents).to(m_device);
}

/// Does nothing for a sampler that can't save its state.
void SamplingLoop::keepPoint(int done, int steps, const at::Tensor& latents) {
    ResumePoints* const points = m_followers.resume;
    if (points == nullptr || !points->wants(done, steps)) return;
    const auto state = m_scheduler.state();
    if (!state) return;
    m_clock.aside(kSaveStage, [&] {
        m_finite.require();
        ResumePoint point{done, steps, {{kLatents, latents}}};
        for (const auto& [name, tensor] : *state)
            point.tensors[std::string(kSchedulerPrefix) + name] = tensor;
        m_denoiser.save(point.tensors);
        points->keep(point);
    });
}

}  // namespace reelgrid::denoising
