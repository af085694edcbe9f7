#include "core/denoising/sampling_loop.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"

namespace reelgrid::denoising {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Adds what was predicted, and remembers how often it did.
class Adding final : public schedulers::Scheduler {
  public:
    explicit Adding(bool tellsState = true) : m_tellsState(tellsState) {}
    void setTimesteps(std::int64_t steps) override {
        for (std::int64_t i = steps; i > 0; --i) m_timesteps.push_back(static_cast<float>(10 * i));
    }
    at::Tensor scaleModelInput(const at::Tensor& sample, std::int64_t) const override { return sample * 2; }
    at::Tensor step(const at::Tensor& output, std::int64_t, const at::Tensor& sample) override {
        ++m_steps;
        return sample + output + m_steps;
    }
    std::optional<schedulers::SchedulerState> state() const override {
        if (!m_tellsState) return std::nullopt;
        return schedulers::SchedulerState{{"steps", at::full({1}, m_steps, at::kLong)}};
    }
    void restore(std::int64_t, const schedulers::SchedulerState& state) override {
        m_steps = state.at("steps").item<std::int64_t>();
    }

  private:
    bool m_tellsState;
    std::int64_t m_steps = 0;
};

class Stepping final : public Denoiser {
  public:
    Stepping(int steps, std::unique_ptr<schedulers::Scheduler> scheduler)
        : m_scheduler(std::move(scheduler)) {
        m_scheduler->setTimesteps(steps);
    }
    schedulers::Scheduler& scheduler() override { return *m_scheduler; }
    void begin(int firstStep) override { begun.push_back(firstStep); }
    at::Tensor initialLatents() override { return at::ones({2}); }
    at::Tensor predict(const at::Tensor& input, int step, attention::Dispatcher&) override {
        m_memory = m_memory + input.sum();
        return input * step + m_memory;
    }
    at::Tensor finished(at::Tensor latents) override { return latents / 4; }
    void save(NamedTensors& into) const override { into["memory"] = m_memory; }
    void restore(const NamedTensors& from) override { m_memory = from.at("memory"); }

    std::vector<int> begun;

  private:
    std::unique_ptr<schedulers::Scheduler> m_scheduler;
    at::Tensor m_memory = at::zeros({1});
};

class Watching final : public StepObserver {
  public:
    void predicted(int step, const at::Tensor& latents, Prediction) override {
        steps.push_back(step);
        before.push_back(latents);
    }
    void denoised(const at::Tensor& latents) override { last = latents; }

    std::vector<int> steps;
    std::vector<at::Tensor> before;
    at::Tensor last;
};

class Keeping final : public ResumePoints {
  public:
    explicit Keeping(int wanted, std::optional<ResumePoint> start = {})
        : m_wanted(wanted), m_start(std::move(start)) {}
    std::optional<ResumePoint> takeStart() override { return std::exchange(m_start, std::nullopt); }
    bool wants(int done, int) const override { return done == m_wanted; }
    void keep(const ResumePoint& point) override {
        kept = point;
        for (auto& [name, tensor] : kept->tensors) tensor = tensor.clone();
    }

    std::optional<ResumePoint> kept;

  private:
    int m_wanted;
    std::optional<ResumePoint> m_start;
};

at::Tensor run(Stepping& denoiser, LoopFollowers followers, StageClock& clock) {
    const auto attention = attention::makeDispatcher("sdpa").value();
    return SamplingLoop(denoiser, std::move(followers), at::kCPU, clock).run(*attention);
}

TEST(SamplingLoop, TellsEveryObserverEachStepAndTheFinishedLatents) {
    Stepping denoiser(3, std::make_unique<Adding>());
    Watching one, other;
    StageClock clock({}, {});
    const at::Tensor latents = run(denoiser, {.observers = {&one, &other}}, clock);
    EXPECT_THAT(one.steps, ElementsAre(0, 1, 2));
    EXPECT_THAT(other.steps, ElementsAre(0, 1, 2));
    EXPECT_TRUE(at::equal(one.before.front(), at::ones({2})));
    EXPECT_TRUE(at::equal(one.last, latents));
    EXPECT_THAT(denoiser.begun, ElementsAre(0));
    EXPECT_EQ(clock.timing().steps.size(), 3u);
}

TEST(SamplingLoop, EqualsTheStepsWrittenOut) {
    Stepping denoiser(2, std::make_unique<Adding>());
    StageClock clock({}, {});
    // Latents 1: input 2, memory 4, prediction 0·2 + 4, and 1 of the sampler: 6. Then input 12, memory 28,
    // prediction 12 + 28, and 2: 48.
    EXPECT_TRUE(at::equal(run(denoiser, {}, clock), at::full({2}, 12.0)));
}

TEST(SamplingLoop, ResumedAtAnyStepGivesTheSameBits) {
    constexpr int kSteps = 4;
    StageClock clock({}, {});
    Stepping whole(kSteps, std::make_unique<Adding>());
    const at::Tensor expected = run(whole, {}, clock);
    for (int at = 1; at <= kSteps; ++at) {
        Keeping keeping(at);
        Stepping first(kSteps, std::make_unique<Adding>());
        (void)run(first, {.resume = &keeping}, clock);
        ASSERT_TRUE(keeping.kept) << at;
        EXPECT_EQ(keeping.kept->done, at);

        Keeping left(0, keeping.kept);
        Stepping second(kSteps, std::make_unique<Adding>());
        Watching watching;
        EXPECT_TRUE(at::equal(run(second, {{&watching}, &left}, clock), expected)) << at;
        EXPECT_EQ(watching.steps.size(), std::size_t(kSteps - at));
        EXPECT_THAT(second.begun, ElementsAre(std::min(at, kSteps - 1)));
    }
}

TEST(SamplingLoop, RefusesKeptLatentsOfAnotherShapeByFileAndBothShapes) {
    StageClock clock({}, {});
    const auto complaint = [&](const at::Tensor& latents,
                               const at::Tensor& remembered = at::ones({2})) -> std::string {
        Keeping left(0, ResumePoint{1,
                                    0,
                                    {{"latents", latents},
                                     {"memory", at::zeros({})},
                                     {"scheduler.steps", at::ones({1}, at::kLong)},
                                     {"scheduler.last", remembered}},
                                    "clip.files/resume"});
        Stepping denoiser(2, std::make_unique<Adding>());
        try {
            (void)run(denoiser, {.resume = &left}, clock);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "none";
    };
    EXPECT_THAT(complaint(at::ones({3})),
                AllOf(HasSubstr("clip.files/resume: latents is a tensor of [3], Float"), HasSubstr("[2]")));
    EXPECT_THAT(complaint(at::ones({2}, at::kLong)), HasSubstr("[2], Long"));
    EXPECT_EQ(complaint(at::ones({2})), "none");
    EXPECT_THAT(complaint(at::ones({2}), at::ones({1, 1})),
                HasSubstr("clip.files/resume: scheduler.last is a tensor of [1, 1], Float"));
}

TEST(SamplingLoop, KeepsNothingOfASamplerThatCannotSaveItsState) {
    Keeping keeping(1);
    StageClock clock({}, {});
    Stepping denoiser(2, std::make_unique<Adding>(/*tellsState=*/false));
    (void)run(denoiser, {.resume = &keeping}, clock);
    EXPECT_FALSE(keeping.kept);
}

/// Predicts NaN in one step.
class Failing final : public Denoiser {
  public:
    Failing(int steps, int failing) : m_failing(failing) { m_scheduler.setTimesteps(steps); }
    schedulers::Scheduler& scheduler() override { return m_scheduler; }
    at::Tensor initialLatents() override { return at::ones({2}); }
    at::Tensor predict(const at::Tensor& input, int step, attention::Dispatcher&) override {
        predictions = step + 1;
        return step == m_failing ? input * std::nan("") : input;
    }
    int predictions = 0;

  private:
    Adding m_scheduler;
    int m_failing;
};

TEST(SamplingLoop, EndsWithTheStepThatLeavesNoFiniteLatentsAndKeepsNothingOfIt) {
    StageClock clock({}, {});
    Failing denoiser(4, 1);
    Keeping keeping(2);
    const auto attention = attention::makeDispatcher("sdpa").value();
    try {
        (void)SamplingLoop(denoiser, {.resume = &keeping}, at::kCPU, clock).run(*attention);
        ADD_FAILURE() << "NaN went through";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    HasSubstr("step 2 of 4: the latents have NaN or infinite values"));
    }
    EXPECT_EQ(denoiser.predictions, 2);
    EXPECT_FALSE(keeping.kept);
}

TEST(SamplingLoop, StopsBetweenSteps) {
    std::stop_source stop;
    StageClock clock(
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage == "denoise" && progress.done == 1) stop.request_stop();
        },
        stop.get_token());
    Stepping denoiser(3, std::make_unique<Adding>());
    Watching watching;
    EXPECT_THROW((void)run(denoiser, {.observers = {&watching}}, clock), Failure);
    EXPECT_THAT(watching.steps, ElementsAre(0));
}

}  // namespace
}  // namespace reelgrid::denoising
