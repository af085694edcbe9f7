#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/pending_file.h"
#include "core/protocol/render_request.h"

namespace reelgrid::models::sd35 {

inline const std::filesystem::path kTinyFixtures =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/sd35";

/// A tiny model of tests/fixtures/sd35 as a whole folder, with the text encoders, VAE and tokenizers that all
/// of them share.
class TinyModel {
  public:
    enum class T5 { There, LeftOut };
    explicit TinyModel(const std::string& form, T5 t5 = T5::There)
        : m_folder(std::filesystem::path(testing::TempDir()) /
                   ("sd35-" + form + "_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(m_folder);
        for (const char* component : {"transformer", "scheduler"}) lend(kTinyFixtures / form, component);
        for (const char* component : {"text_encoder", "text_encoder_2", "vae"})
            lend(kTinyFixtures / "shared", component);
        const std::filesystem::path all = kTinyFixtures.parent_path();
        link(all / "clip/slow", "tokenizer");
        link(all / "clip/padded", "tokenizer_2");
        auto index = nlohmann::json::parse(readFile(kTinyFixtures / form / "model_index.json").value());
        if (t5 == T5::There) {
            lend(kTinyFixtures / "shared", "text_encoder_3");
            link(all / "wan/tiny-pipeline/tokenizer", "tokenizer_3");
        } else {
            index["text_encoder_3"] = index["tokenizer_3"] = {nullptr, nullptr};
        }
        writeFile(m_folder / "model_index.json", index.dump()).value();
    }
    TinyModel(const TinyModel&) = delete;
    TinyModel& operator=(const TinyModel&) = delete;
    ~TinyModel() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    void lend(const std::filesystem::path& lender, const char* component) {
        link(lender / component, component);
    }
    void link(const std::filesystem::path& from, const char* component) {
        std::filesystem::create_directories(m_folder);
        std::filesystem::create_directory_symlink(from, m_folder / component);
    }
    std::filesystem::path m_folder;
};

/// What the reference was asked for in `run`.json of a form: pictures by themselves, or a clip that the
/// temporal module makes.
inline protocol::RenderRequest tinyRequest(const std::string& form, const std::string& run) {
    const auto json = nlohmann::json::parse(readFile(kTinyFixtures / form / (run + ".json")).value());
    protocol::RenderRequest request = protocol::renderRequestFromJson(json).value();
    request.dtype = "fp32";
    request.device = "cpu";
    if (run == "moving")
        request.temporalModule = (kTinyFixtures / form / "temporal_module").string();
    else
        request.temporalAlpha = 0;
    return request;
}

}  // namespace reelgrid::models::sd35
