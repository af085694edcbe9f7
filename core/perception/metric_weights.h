#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/weights/weight_file.h"

namespace reelgrid::perception {

inline constexpr const char* kClipBase = "openai/clip-vit-base-patch32";
inline constexpr const char* kClipLarge = "openai/clip-vit-large-patch14";
inline constexpr const char* kDino = "facebook/dino-vitb16";

/// Whether a hub id is one of these.
bool isMetricModel(const std::string& hubId);
/// What such a repository's files are needed: none where it lacks configuration or weights.
std::vector<std::string> metricModelFiles(const std::vector<std::string>& all);

/// Where the networks of metrics lie: a folder or a repository in the Hugging Face cache that was named, then
/// what is in that cache by the networks' own ids, and torchvision's downloads ($TORCH_HOME/hub/checkpoints).
class MetricWeights {
  public:
    /// `named`: a folder, OWNER/NAME, or nothing. Throws Failure(NotFound) for one that isn't there.
    explicit MetricWeights(const std::string& named);

    /// A file of weights whose name begins with one of `beginnings`, the first of those that is there first.
    /// Throws Failure(NotFound): "METRIC needs weights: NEEDED; looked in …".
    [[nodiscard]] std::filesystem::path file(const std::string& metric,
                                             const std::vector<std::string>& beginnings,
                                             const std::string& needed) const;
    /// A folder of transformers': NAME in the folder that was named, or that folder itself where it has the
    /// name, else the repository in the cache; empty where there is none.
    [[nodiscard]] std::filesystem::path modelFolder(const std::string& hubId) const;
    /// The same; throws Failure(NotFound) saying how it comes here.
    [[nodiscard]] std::filesystem::path requireModel(const std::string& metric,
                                                     const std::string& hubId) const;

  private:
    [[nodiscard]] std::string lookedIn() const;

    std::filesystem::path m_named;
    std::vector<std::filesystem::path> m_folders;  ///< of single files
};

/// "FILE": how reports name weights, of a snapshot in the cache OWNER/NAME.
std::string shownWeights(const std::filesystem::path& path);

}  // namespace reelgrid::perception
