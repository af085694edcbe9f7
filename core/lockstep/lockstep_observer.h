#pragma once

#include <string>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/denoising/stage_clock.h"
#include "core/denoising/step_observer.h"
#include "core/execution/execution.h"
#include "core/metrics/lockstep_map.h"

namespace reelgrid::lockstep {

/// Measures other backends on the latents of a render with the reference. Once its denoising has ended, and
/// so without a part in its times, a stage "lockstep" predicts each step again: call by call with all
/// backends (CallComparison), then the whole step with each of them. All steps' latents are kept until
/// then, on their device.
class LockstepObserver final : public denoising::StepObserver {
  public:
    LockstepObserver(std::vector<std::string> backends, int layers, int steps,
                     const execution::Execution& execution, denoising::StageClock& clock,
                     attention::CallSettings settings = {});

    void predicted(int step, const at::Tensor& latents, Prediction predict) override;
    void denoised(const at::Tensor& latents) override;

    /// After denoised(). Throws Failure(Internal) when the model's loop has told nothing.
    [[nodiscard]] const metrics::LockstepMap& map() const;

  private:
    struct Step {
        at::Tensor latents;
        Prediction predict;
    };
    void measure(std::size_t step, const at::Tensor& next, attention::Dispatcher& reference);
    [[nodiscard]] at::Tensor predictWith(const std::string& backend, const Step& step,
                                         std::string& why) const;

    std::vector<std::string> m_backends;
    execution::Execution m_execution;
    attention::CallSettings m_settings;
    denoising::StageClock& m_clock;
    std::vector<Step> m_steps;
    std::vector<metrics::OutputErrors> m_flows;  ///< one a backend
    std::vector<std::string> m_whys;             ///< likewise
    std::vector<double> m_stepSizes;
    metrics::LockstepMap m_map;
    int m_layers, m_stepCount;
    int m_done = 0;
};

}  // namespace reelgrid::lockstep
