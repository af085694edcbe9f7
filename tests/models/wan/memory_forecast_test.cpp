#include "core/models/wan/memory_forecast.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/catalog/model_folder.h"
#include "core/catalog/render_settings.h"
#include "core/machine/local_machine.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::models::wan {
namespace {

using denoising::Encoders;
using denoising::Offload;
using nlohmann::json;

std::vector<WanTransformerConfig> officialConfigs() {
    std::vector<WanTransformerConfig> configs;
    for (const char* file : {"official_parameters.json", "variants/official_parameters.json"}) {
        std::ifstream stream(kVariants.parent_path() / file);
        const json list = json::parse(stream);
        for (const auto& [name, model] : list.items())
            if (model.contains("config") && model["config"].contains("ffn_dim"))
                configs.push_back(WanTransformerConfig::from(weights::ModelConfig(model["config"], name)));
    }
    return configs;
}

TEST(MemoryForecast, CountsTheParametersOfEveryOfficialTransformer) {
    const auto configs = officialConfigs();
    EXPECT_GE(configs.size(), 2U);
    for (const WanTransformerConfig& config : configs) {
        // proj_l is there only where it was trained.
        weights::RecordingWeights recording(
            [](const std::string& name) { return name.find("proj_l") == std::string::npos; });
        const WanTransformer model(config, weights::WeightScope(recording, at::kFloat));
        std::int64_t elements = 0;
        for (const auto& [name, shape] : recording.requests()) {
            std::int64_t count = 1;
            for (const std::int64_t side : shape) count *= side;
            elements += count;
        }
        EXPECT_EQ(WanTransformer::weightBytes(config, at::kFloat, at::kCPU, {}),
                  std::uint64_t(elements) * sizeof(float))
            << config.innerDim();
    }
}

class ForecastOfTiny : public testing::Test {
  protected:
    families::ModelInfo m_model = catalog::readModelFolder(kVariants.parent_path() / "tiny-pipeline").value();
    catalog::RenderSettings m_settings = [&] {
        protocol::RenderRequest request;
        request.dtype = "fp32";
        request.device = "cpu";
        request.width = 1280;
        request.height = 720;
        request.numFrames = 17;
        return catalog::resolveSettings(request, m_model, machine::LocalMachine().now()).value();
    }();
    [[nodiscard]] std::uint64_t peak(Offload offload, Encoders encoders,
                                     const std::string& tiling = "off") const {
        catalog::RenderSettings settings = m_settings;
        settings.vaeTiling = tiling;
        return forecastMemory(m_model, settings, {.offload = offload, .encoders = encoders},
                              std::uint64_t{1} << 40)
            .peak;
    }
};

TEST_F(ForecastOfTiny, NeedsLessWithLessHeld) {
    EXPECT_LT(peak(Offload::None, Encoders::FreedAfterUse), peak(Offload::None, Encoders::Kept));
    EXPECT_LT(peak(Offload::Blocks, Encoders::FreedAfterUse), peak(Offload::None, Encoders::FreedAfterUse));
    EXPECT_LT(peak(Offload::None, Encoders::Kept, "on"), peak(Offload::None, Encoders::Kept));
}

}  // namespace
}  // namespace reelgrid::models::wan
