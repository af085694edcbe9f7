#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/pending_file.h"
#include "core/protocol/render_request.h"

namespace reelgrid::models::wan {

inline const std::filesystem::path kVariants =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/variants";

/// A tiny model of tests/fixtures/wan/variants as a whole folder: what it lacks is lent by another model.
class VariantModel {
  public:
    explicit VariantModel(const std::string& name) {
        std::filesystem::create_directories(m_folder);
        lendFrom(kVariants / name);
        if (name == "flf2v") lendFrom(kVariants / "i2v");
        lendFrom(kVariants.parent_path() / "tiny-pipeline");
    }
    VariantModel(const VariantModel&) = delete;
    VariantModel& operator=(const VariantModel&) = delete;
    ~VariantModel() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    void lendFrom(const std::filesystem::path& lender) {
        for (const auto& entry : std::filesystem::directory_iterator(lender)) {
            const auto own = m_folder / entry.path().filename();
            if (std::filesystem::exists(own)) continue;
            if (entry.is_directory())
                std::filesystem::create_directory_symlink(entry.path(), own);
            else if (entry.path().filename() == "model_index.json")
                std::filesystem::copy_file(entry.path(), own);
        }
    }
    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("variant_" + std::to_string(getpid()));
};

/// What the reference was asked for in `run`.json of a variant.
inline protocol::RenderRequest variantRequest(const std::string& variant, const std::string& run) {
    const auto json = nlohmann::json::parse(readFile(kVariants / variant / (run + ".json")).value());
    protocol::RenderRequest request = protocol::renderRequestFromJson(json).value();
    request.dtype = "fp32";
    request.device = "cpu";
    return request;
}

}  // namespace reelgrid::models::wan
