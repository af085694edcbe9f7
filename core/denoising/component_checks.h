#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/denoising/model_faults.h"
#include "core/weights/parameter_check.h"

namespace reelgrid::denoising {

/// How a component of a model takes its parameters, for those who look at what it takes without reading it.
struct ComponentCheck {
    /// What becomes of further tensors in its files. Those of text encoders hold whole models, of which one
    /// part is read.
    enum class Others { Allowed, Named };

    /// Has the component take its parameters from the files that it opens with `open`.
    std::function<void(const weights::OpenWeights& open)> take;
    Others others = Others::Allowed;
    /// Whether a tensor is of another component, in one file with this one; empty: none is. The file is as it
    /// was opened.
    std::function<bool(const std::string& file, const std::string& tensor)> isElsewhere{};
};
using ComponentChecks = std::vector<ComponentCheck>;

/// Holds components, one after the other, against what their configurations need. Reads headers alone.
ModelFaults faultsOf(const ComponentChecks& components);

/// A line for each file with tensors that nobody takes, such as those of a model that was made from this one:
/// "FILE: 4 tensors belong to no layer of this model and had no effect (fps_embedding.weight, …)". What
/// published checkpoints have for no layer (spare_tensors.h) isn't told of. Throws Failure where a file can't
/// be read.
std::vector<std::string> untakenTensors(const ComponentChecks& components);

}  // namespace reelgrid::denoising
