#pragma once

#include <ATen/ATen.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "core/weights/scalar_type.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vae {

inline std::filesystem::path fixtureFolder() {
    return std::filesystem::path(REELGRID_SOURCE_DIR) / "tests" / "fixtures" / "vae";
}

/// All tensors of one safetensors file, copied.
inline std::map<std::string, at::Tensor> tensorsOf(const std::filesystem::path& path) {
    const auto file = safetensors::MappedFile::open(path);
    std::map<std::string, at::Tensor> tensors;
    for (const auto& [name, entry] : safetensors::readHeader(file->bytes(), path.string())) {
        at::Tensor copy = at::empty(entry.shape, weights::scalarTypeOf(entry.dtype));
        std::memcpy(copy.data_ptr(), file->bytes().data() + entry.begin, entry.bytes);
        tensors[name] = copy;
    }
    return tensors;
}

inline std::map<std::string, at::Tensor> readTensors(const std::string& fileName) {
    return tensorsOf(fixtureFolder() / fileName);
}

/// Weights in memory, counting what was asked for.
class TensorMap final : public weights::WeightSource {
  public:
    explicit TensorMap(std::map<std::string, at::Tensor> tensors) : m_tensors(std::move(tensors)) {}
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const auto found = m_tensors.find(name);
        if (found == m_tensors.end() || found->second.sizes() != shape) {
            throw Failure(ErrorCode::InvalidData, "no " + name + " of the shape asked for");
        }
        m_asked[name] = true;
        return found->second;
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_tensors.contains(name); }
    [[nodiscard]] std::size_t unused() const { return m_tensors.size() - m_asked.size(); }

  private:
    std::map<std::string, at::Tensor> m_tensors;
    std::map<std::string, bool> m_asked;
};

/// Largest difference over the reference's largest value.
inline double relativeError(const at::Tensor& value, const at::Tensor& reference) {
    if (value.sizes() != reference.sizes() || !value.isfinite().all().item<bool>()) return 1e30;
    return ((value - reference).abs().max() / reference.abs().max()).item<double>();
}

}  // namespace reelgrid::vae
