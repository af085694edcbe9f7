#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/weights/weight_file.h"

namespace reelgrid::weights {

/// Has a model take its parameters from a checkpoint without reading them, and notes what doesn't fit: what
/// is missing, or of another shape or kind of numbers. The model gets meta tensors.
class ParameterCheck {
  public:
    /// What opens a checkpoint's files for such a model; this has to live as long.
    [[nodiscard]] OpenWeights open();

    /// One line each: "FILE: tensor NAME is missing, shape [2, 3] was needed".
    [[nodiscard]] const std::vector<std::string>& faults() const { return m_faults; }
    /// Taken by a model, faults included.
    [[nodiscard]] std::size_t tensors() const { return m_tensors; }
    /// What nobody took of the files opened so far, however often each was.
    struct Untaken {
        std::string file;
        std::vector<std::string> tensors;
    };
    /// The files that have such tensors.
    [[nodiscard]] std::vector<Untaken> untaken() const;

  private:
    struct Opened {
        WeightFile file;
        std::string where;
        std::set<std::string> taken{};
    };
    class Source;
    at::Tensor take(Opened& from, const std::string& name, at::IntArrayRef shape);

    std::vector<std::shared_ptr<Opened>> m_opened;
    std::vector<std::string> m_faults;
    std::size_t m_tensors = 0;
};

}  // namespace reelgrid::weights
