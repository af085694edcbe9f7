#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/base/pending_file.h"
#include "core/models/svd/unet.h"
#include "core/protocol/render_request.h"
#include "core/vae/svd/svd_vae.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/svd/svd_fixtures.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::models::svd {

/// The tiny model of tests/fixtures/svd as a diffusers folder, made anew.
class TinySvd {
  public:
    TinySvd()
        : m_folder(std::filesystem::path(testing::TempDir()) / ("tiny-svd_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(m_folder);
        std::filesystem::create_directories(m_folder);
        lend("model_index.json", "model_index.json");
        lend("scheduler_config.json", "scheduler/scheduler_config.json");
        lend("preprocessor_config.json", "feature_extractor/preprocessor_config.json");
        lend("unet_small.json", "unet/config.json");
        lend("vae.json", "vae/config.json");
        lend("image_encoder.json", "image_encoder/config.json");
        write("unet/diffusion_pytorch_model.safetensors", [](const weights::WeightScope& scope) {
            (void)VideoUnet(VideoUnetConfig::from(svdConfig("unet_small")), scope);
        });
        write("vae/diffusion_pytorch_model.safetensors", [](const weights::WeightScope& scope) {
            (void)vae::svd::SvdVae(scope, vae::svd::SvdVaeConfig::from(svdConfig("vae")));
        });
        write("image_encoder/model.safetensors", [](const weights::WeightScope& scope) {
            (void)vision::ClipVisionEncoder(vision::ClipVisionConfig::from(svdConfig("image_encoder")), scope,
                                            vision::ClipOutput::Embedding);
        });
    }
    TinySvd(const TinySvd&) = delete;
    TinySvd& operator=(const TinySvd&) = delete;
    ~TinySvd() { std::filesystem::remove_all(m_folder); }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    void lend(const std::string& fixture, const std::string& as) const {
        std::filesystem::create_directories((m_folder / as).parent_path());
        std::filesystem::copy_file(kSvdFixtures / fixture, m_folder / as);
    }
    template <class Make>
    void write(const std::string& as, const Make& make) const {
        weights::MadeUpWeights made;
        make(weights::WeightScope(made, at::kFloat));
        weights::writeSafetensors(m_folder / as, made.made()).value();
    }
    std::filesystem::path m_folder;
};

/// What the reference was asked for in a run.
inline protocol::RenderRequest svdRequest(const std::string& run) {
    protocol::RenderRequest request =
        protocol::renderRequestFromJson(
            nlohmann::json::parse(readFile(kSvdFixtures / (run + ".json")).value()))
            .value();
    request.imgFilePath = (kSvdFixtures / "picture_0.png").string();
    request.dtype = "fp32";
    request.device = "cpu";
    return request;
}

}  // namespace reelgrid::models::svd
