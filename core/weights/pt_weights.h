#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/pt/value.h"
#include "core/safetensors/header.h"
#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// The weights in a file of torch.save: a state dict by itself, or one under "state_dict". Nothing in the
/// file is ever run. Tensors are views of the mapped file, as SafetensorsFolder's are; a storage whose
/// checksum the file has is held to it when it is taken for the first time.
class PtWeights final : public WeightSource {
  public:
    /// Throws Failure: what readPt() says, InvalidData when the file holds no named tensors, or Unsupported
    /// where it holds scaled FP8 (scaled_fp8.h).
    explicit PtWeights(const std::filesystem::path& file);

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override { return m_tensors.contains(name); }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_file.string() + ": tensor " + safetensors::quotedName(name);
    }

    /// The file alone.
    [[nodiscard]] std::vector<std::filesystem::path> files() const { return {m_file}; }
    /// Names of all tensors, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// As stored; nothing when there is no such tensor.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> shapeOf(const std::string& name) const;
    /// As stored. Throws std::out_of_range where there is no such tensor.
    [[nodiscard]] at::ScalarType typeOf(const std::string& name) const;

  private:
    std::filesystem::path m_file;
    std::map<std::string, pt::Tensor> m_tensors;
    std::set<const pt::Storage*> m_whole;  ///< found undamaged
};

}  // namespace reelgrid::weights
