#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/attention/problem.h"

namespace reelgrid::attention {

/// The parameters of backends, as a render sets them. Not thread-safe: what nobody has asked for yet is
/// noted.
class BackendOptions {
  public:
    /// All at their defaults.
    BackendOptions() = default;
    /// `texts` as RenderFields::backendOption has them. BadUsage naming the backend or key that there isn't,
    /// or the value and what was needed.
    static Result<BackendOptions> create(const std::vector<std::string>& texts);

    /// Every parameter of a backend; valid as long as this lives and stays where it is.
    [[nodiscard]] std::span<const kernels::OptionValue> of(std::string_view backend) const;

  private:
    mutable std::map<std::string, std::vector<kernels::OptionValue>, std::less<>> m_values;
};

/// What is the same in every call of a render, beside its policy.
struct CallSettings {
    double slaTopk = kernels::SparseLinear{}.topkRatio;  ///< of sparse-linear backends
    BackendOptions options{};
    std::string family{};  ///< of the model; empty: nobody's
};

}  // namespace reelgrid::attention
