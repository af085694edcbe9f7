#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/pending_file.h"
#include "core/protocol/render_request.h"

namespace reelgrid::models::animatediff {

inline const std::filesystem::path kFixtures =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/animatediff";

/// The tiny model of tests/fixtures/animatediff/pipeline as a whole folder: v1's UNet and motion adapter, the
/// tokenizer of tests/fixtures/clip.
class TinyModel {
  public:
    enum class Motion { Inside, Apart };

    explicit TinyModel(Motion motion)
        : m_folder(
              std::filesystem::path(testing::TempDir()) /
              ("animatediff_" + std::to_string(getpid()) + (motion == Motion::Inside ? "-whole" : "-base"))) {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
        for (const char* part : {"text_encoder", "vae", "scheduler"})
            std::filesystem::create_symlink(kFixtures / "pipeline" / part, m_folder / part);
        std::filesystem::create_symlink(kFixtures / "v1/unet", m_folder / "unet");
        std::filesystem::create_symlink(kFixtures.parent_path() / "clip/slow", m_folder / "tokenizer");
        auto index = nlohmann::json::parse(readFile(kFixtures / "pipeline/model_index.json").value());
        if (motion == Motion::Inside) {
            std::filesystem::create_symlink(adapter(), m_folder / "motion_adapter");
        } else {
            index.erase("motion_adapter");
            index["_class_name"] = "StableDiffusionPipeline";
        }
        writeFile(m_folder / "model_index.json", index.dump());
    }
    TinyModel(const TinyModel&) = delete;
    TinyModel& operator=(const TinyModel&) = delete;
    ~TinyModel() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] static std::filesystem::path adapter() { return kFixtures / "v1/motion_adapter"; }

  private:
    static void writeFile(const std::filesystem::path& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    std::filesystem::path m_folder;
};

/// What the reference was asked for in `run`.json.
inline protocol::RenderRequest tinyRequest(const std::string& run) {
    const auto json = nlohmann::json::parse(readFile(kFixtures / "pipeline" / (run + ".json")).value());
    protocol::RenderRequest request = protocol::renderRequestFromJson(json).value();
    request.dtype = "fp32";
    request.device = "cpu";
    return request;
}

}  // namespace reelgrid::models::animatediff
