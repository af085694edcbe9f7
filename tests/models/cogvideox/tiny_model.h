#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/pending_file.h"
#include "core/protocol/render_request.h"

namespace reelgrid::models::cogvideox {

inline const std::filesystem::path kFixtures =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/cogvideox";

/// A tiny model of tests/fixtures/cogvideox as a whole folder, with the text encoder, VAE and tokenizer that
/// all of them share.
class TinyModel {
  public:
    explicit TinyModel(const std::string& form)
        : m_folder(std::filesystem::path(testing::TempDir()) /
                   ("cogvideox-" + form + "_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(m_folder);
        lend(kFixtures / form, m_folder);
        lend(kFixtures / "shared", m_folder);
        lend(kFixtures.parent_path() / "wan/tiny-pipeline/tokenizer", m_folder / "tokenizer");
    }
    TinyModel(const TinyModel&) = delete;
    TinyModel& operator=(const TinyModel&) = delete;
    ~TinyModel() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    /// Links to the lender's files that aren't there yet.
    static void lend(const std::filesystem::path& lender, const std::filesystem::path& to) {
        std::filesystem::create_directories(to);
        for (const auto& entry : std::filesystem::directory_iterator(lender)) {
            const auto own = to / entry.path().filename();
            if (entry.is_directory())
                lend(entry.path(), own);
            else if (!std::filesystem::exists(own))
                std::filesystem::create_symlink(entry.path(), own);
        }
    }
    std::filesystem::path m_folder;
};

/// What the reference was asked for in `run`.json of a form.
inline protocol::RenderRequest tinyRequest(const std::string& form, const std::string& run) {
    auto json = nlohmann::json::parse(readFile(kFixtures / form / (run + ".json")).value());
    if (json.contains("img_file_path")) json["img_file_path"] = (kFixtures / "first.png").string();
    protocol::RenderRequest request = protocol::renderRequestFromJson(json).value();
    request.dtype = "fp32";
    request.device = "cpu";
    return request;
}

}  // namespace reelgrid::models::cogvideox
