#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// The weights of one component of a diffusers or transformers folder: `diffusion_pytorch_model.safetensors`,
/// `model.safetensors`, or the shards that a `*.safetensors.index.json` names (inside the folder only); where
/// it has none of these, their variants in fp16 (`diffusion_pytorch_model.fp16.safetensors`). One file, given
/// by its own path, stands for a folder of it. The tensors are views of read-only memory maps, valid as long
/// as any of them lives. When the last reference to one goes, its pages are given back: what a model converts
/// to another dtype doesn't stay in memory twice. A matrix stored as scaled FP8 (see scaled_fp8.h) comes out
/// as bf16, in memory of its own.
class SafetensorsFolder final : public WeightSource {
  public:
    /// Opens every file and checks every header. Throws Failure naming the folder or file and what is missing
    /// (NotFound), damaged (InvalidData) or only there in another format or variant (Unsupported).
    explicit SafetensorsFolder(const std::filesystem::path& folder);

    /// Whether a folder has what is read here.
    static bool isOne(const std::filesystem::path& folder);

    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override { return m_tensors.contains(name); }
    [[nodiscard]] std::string whereIs(const std::string& name) const override;

    /// As stored; nothing when there is no such tensor.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> shapeOf(const std::string& name) const;

    /// As stored; FP8 with a scale comes out in bf16. Throws std::out_of_range where there is no such tensor.
    [[nodiscard]] at::ScalarType typeOf(const std::string& name) const;

    /// Reads every file that holds hashes of its tensors. Throws Failure(InvalidData) naming file and tensor
    /// where one was changed since it was written.
    void requireUnchanged() const;

    /// The weight files, sorted.
    [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return m_paths; }
    /// Names of all tensors, sorted, without the scales and the marker of scaled FP8.
    [[nodiscard]] std::vector<std::string> names() const;

  private:
    struct Stored {
        std::shared_ptr<const safetensors::MappedFile> file;
        safetensors::TensorEntry entry;
        std::size_t path = 0;  ///< among m_paths
    };
    [[nodiscard]] bool belongsToScaledFp8(const std::string& name) const;
    using Tensors = std::map<std::string, Stored>;
    [[nodiscard]] Tensors::const_iterator scaleOf(const std::string& weightName) const;
    /// Throws Failure(InvalidData) where a weight that isn't in FP8 has a scale other than 1.
    void requireNoScaleOf(const std::string& weightName, const at::Tensor& weight);
    /// Throws Failure(InvalidData) where the same layer of other blocks has a scale, or the file is marked as
    /// scaled and most of its weights have none.
    void requireNoLostScale(const std::string& weightName) const;
    void noteScaledLayers();
    /// `known`: the scale that is used.
    void requireNoOtherScale(const std::string& weightName, Tensors::const_iterator known) const;
    static at::Tensor view(const Stored& stored);
    void addFile(const std::filesystem::path& path);
    void addShards(const std::filesystem::path& index);

    std::filesystem::path m_folder;
    std::vector<std::filesystem::path> m_paths;
    Tensors m_tensors;
    bool m_lostScales = false;          ///< of most weights in FP8, in a file that is marked as scaled
    std::set<std::string> m_lostKinds;  ///< of layers that several blocks have, none of them with its scale
    std::map<std::string, std::string> m_scaledLayers;  ///< a weight of FP8 with its scale, by kind of layer
};

}  // namespace reelgrid::weights
