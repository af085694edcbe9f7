#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::schedulers {

/// A sampler's memory of the steps so far, by name.
using SchedulerState = std::map<std::string, at::Tensor>;

/// How a sampler walks from noise to picture. Latents stay fp32 whatever the model computes in.
class Scheduler {
  public:
    virtual ~Scheduler() = default;

    /// Starts a trajectory of `steps` steps. Throws Failure(BadUsage) when that many can't be made.
    virtual void setTimesteps(std::int64_t steps) = 0;

    /// The timestep that the model is given at each step: fractions for Euler, whole numbers for the others.
    [[nodiscard]] const std::vector<float>& timesteps() const { return m_timesteps; }
    /// Noise levels, one more than there are steps.
    [[nodiscard]] const std::vector<float>& sigmas() const { return m_sigmas; }
    /// The standard deviation of the initial noise; after setTimesteps(). 1 for flow matching.
    [[nodiscard]] virtual double initialNoiseSigma() const { return 1.0; }

    /// The model's input at step i: the sample itself for flow matching.
    [[nodiscard]] virtual at::Tensor scaleModelInput(const at::Tensor& sample, std::int64_t /*i*/) const {
        return sample;
    }

    /// The sample after step i, from the (guided) model output at timesteps()[i] and the sample before it.
    /// Steps must be taken in order from 0. Returns fp32 of the sample's shape.
    virtual at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) = 0;

    /// The sample at step i of a picture with unit noise. Throws Failure(Unsupported) from a sampler that
    /// can't say.
    [[nodiscard]] virtual at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                            std::int64_t i) const;

    /// Everything that step() needs of the steps so far, bit for bit; nullopt from a sampler which can't save
    /// it, whose trajectories can't be resumed.
    [[nodiscard]] virtual std::optional<SchedulerState> state() const { return std::nullopt; }
    /// Makes step `next` the next one, after setTimesteps(), with what state() was before it. Throws
    /// Failure(InvalidData) when something is missing there.
    virtual void restore(std::int64_t /*next*/, const SchedulerState& /*state*/) {}

  protected:
    std::vector<float> m_timesteps;
    std::vector<float> m_sigmas;
};

/// A request's changes to the checkpoint's own sampler.
struct SchedulerOverrides {
    std::optional<std::string> name;  ///< an option of schedulerList()
    std::optional<double> flowShift;
    std::optional<double> sigmaMax{};
};

/// Gives fresh unit noise of the sample's shape each time that it is called.
using NoiseSource = std::function<at::Tensor()>;

/// The sampler that a scheduler_config.json describes, one of schedulerList() as in diffusers 0.40. Another
/// sampler for the same kind of prediction takes over its shift or its noise schedule. `noise` is for
/// samplers that draw in each step. Throws Failure(Unsupported) naming key and value, or BadUsage for an
/// impossible override.
std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides = {}, NoiseSource noise = {});

}  // namespace reelgrid::schedulers
