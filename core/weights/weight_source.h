#pragma once

// Tensor names are the checkpoint's own; shapes are the checkpoint's own too.

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace reelgrid::weights {

class DeviceUpload;

/// Where a model's constructor takes its parameters from: a folder of safetensors, a recording, a test.
class WeightSource {
  public:
    virtual ~WeightSource() = default;

    /// The tensor in its stored dtype (bf16 where that is scaled FP8, or FP8 with a LoRA), on the CPU
    /// (possibly a read-only memory map: never write to it). Throws Failure(InvalidData) naming the tensor,
    /// its shape and the one needed, or that it is missing.
    virtual at::Tensor require(const std::string& name, at::IntArrayRef shape) = 0;

    [[nodiscard]] virtual bool has(const std::string& name) const = 0;

    /// Where the tensor comes from, for messages: "FILE: tensor NAME", with the name that it has there.
    [[nodiscard]] virtual std::string whereIs(const std::string& name) const { return "tensor " + name; }
};

/// A view of a source below a name prefix that hands out tensors in the dtype and on the device the model
/// runs in, each checked for NaN and values that are infinite in that dtype when it is taken for the first
/// time. Layers take one by value: `scope / "attn1" / "to_q"` is the scope of blocks.0.attn1.to_q.
class WeightScope {
  public:
    WeightScope(WeightSource& source, at::ScalarType dtype, at::Device device = at::kCPU);

    [[nodiscard]] WeightScope operator/(std::string_view child) const;
    [[nodiscard]] WeightScope operator/(std::int64_t index) const { return *this / std::to_string(index); }

    /// The parameter `name` below the prefix in the model's dtype. Throws Failure(InvalidData) naming file
    /// and tensor when it isn't finite.
    [[nodiscard]] at::Tensor operator()(std::string_view name, at::IntArrayRef shape) const;
    /// The same, in fp32 whatever the model's dtype (norms, modulation tables).
    [[nodiscard]] at::Tensor fp32(std::string_view name, at::IntArrayRef shape) const;
    /// The same as stored: dtype, device and memory map (embedding tables, of which only rows are used:
    /// finiteRows() looks at those).
    [[nodiscard]] at::Tensor stored(std::string_view name, at::IntArrayRef shape) const;
    /// The same, of whole numbers of 8 bits (core/weights/int8_blocks.h).
    [[nodiscard]] at::Tensor int8(std::string_view name, at::IntArrayRef shape) const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// File and tensor, for messages.
    [[nodiscard]] std::string whereIs(std::string_view name) const { return m_source->whereIs(full(name)); }

    [[nodiscard]] WeightSource& source() const { return *m_source; }
    /// The same dtype, device and prefix over another source.
    [[nodiscard]] WeightScope over(WeightSource& source) const;

    [[nodiscard]] at::ScalarType dtype() const { return c10::typeMetaToScalarType(m_options.dtype()); }
    [[nodiscard]] at::Device device() const { return m_options.device(); }

  private:
    [[nodiscard]] std::string full(std::string_view name) const;
    /// `as`: the dtype that it is taken in.
    [[nodiscard]] at::Tensor checked(const std::string& name, at::IntArrayRef shape, at::ScalarType as) const;
    [[nodiscard]] at::Tensor moved(const at::Tensor& stored, at::ScalarType dtype) const;

    WeightSource* m_source;
    at::TensorOptions m_options;
    std::shared_ptr<DeviceUpload> m_upload;  ///< to a GPU; none on the CPU
    /// What has been found finite in which dtype: layers that are loaded again in every step aren't looked at
    /// again.
    using Finite = std::set<std::tuple<const WeightSource*, std::string, at::ScalarType>>;
    std::shared_ptr<Finite> m_finite;
    std::string m_prefix;
};

/// Hands out meta tensors (no memory) and remembers what was asked for: how a model's parameter list at any
/// official configuration is compared with the reference's.
class RecordingWeights final : public WeightSource {
  public:
    using Has = std::function<bool(const std::string&)>;
    /// `has` says which optional parameters there are.
    explicit RecordingWeights(Has has = [](const std::string&) { return true; }) : m_has(std::move(has)) {}

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override { return m_has(name); }
    [[nodiscard]] const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& requests() const {
        return m_requests;
    }

  private:
    Has m_has;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> m_requests;
};

}  // namespace reelgrid::weights
