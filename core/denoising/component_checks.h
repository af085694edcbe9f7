#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/denoising/model_faults.h"
#include "core/weights/parameter_check.h"

namespace reelgrid::denoising {

/// Holds a model's components, one after the other, against what their configurations need, without reading
/// their parameters.
class ComponentChecks {
  public:
    /// What else than a component's parameters its file may have.
    enum class Others { Allowed, Faults };
    /// Has a component take its parameters from the files that it opens with `open`.
    using Take = std::function<void(const weights::OpenWeights& open)>;
    /// Whether a tensor is of another component, in one file with this one.
    using IsElsewhere = std::function<bool(const std::string& tensor)>;

    void check(Others others, const Take& take, const IsElsewhere& isElsewhere = {});
    [[nodiscard]] const ModelFaults& found() const { return m_found; }

  private:
    ModelFaults m_found;
};

/// A line for each file with tensors that nobody takes, such as those of a model that was made from this one:
/// "FILE: 4 tensors belong to no layer of this model and had no effect (fps_embedding.weight, …)". Throws
/// Failure where a file can't be read.
std::vector<std::string> untakenTensors(const ComponentChecks::Take& take,
                                        const ComponentChecks::IsElsewhere& isElsewhere = {});

}  // namespace reelgrid::denoising
