#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/families/model_index.h"
#include "core/text/encoders/umt5_config.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models::wan {

/// A Wan model's files in either layout, diffusers' or that of Wan's authors: configurations in diffusers'
/// words and weights by diffusers' and transformers' names. Everything throws Failure naming the file.
class Checkpoint {
  public:
    explicit Checkpoint(const std::filesystem::path& folder);

    /// model_index.json.
    [[nodiscard]] weights::ModelConfig index() const;
    [[nodiscard]] weights::ModelConfig config(const std::string& component,
                                              const std::string& fileName = "config.json") const;
    [[nodiscard]] std::filesystem::path path(const std::string& component) const {
        return m_index.pathOf(component);
    }
    /// "transformer" or "transformer_2".
    [[nodiscard]] std::unique_ptr<weights::WeightSource> transformer(const std::string& component) const;

    struct TextEncoder {
        text::Umt5Config config;
        std::unique_ptr<weights::WeightSource> weights;
    };
    [[nodiscard]] TextEncoder textEncoder() const;

  private:
    families::ModelIndex m_index;
};

}  // namespace reelgrid::models::wan
