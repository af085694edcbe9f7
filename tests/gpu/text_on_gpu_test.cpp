#include "core/text/encoders/umt5_encoder.h"

#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::text {
namespace {

class TextOnGpu : public OnGpu {};

TEST_F(TextOnGpu, EqualsTheCpu) {
    const std::string folder = REELGRID_SOURCE_DIR "/tests/fixtures/text/tiny-umt5";
    const auto config = Umt5Config::read(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    const Umt5Encoder onCpu(config, weights::WeightScope(source, at::kFloat));
    const Umt5Encoder onGpu(config, weights::WeightScope(source, at::kFloat, gpu.device));
    const Umt5Encoder rounded(config, weights::WeightScope(source, at::kBFloat16, gpu.device));
    // Long enough for every bucket of relative positions.
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < 300; ++i) ids.push_back(i * 7 % config.vocabSize);
    const at::Tensor expected = onCpu.forward(ids);
    EXPECT_LE(relativeError(onGpu.forward(ids), expected), 1e-5);
    EXPECT_GE(cosine(rounded.forward(ids), expected), 0.999);
}

}  // namespace
}  // namespace reelgrid::text
