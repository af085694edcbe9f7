#include <cmath>

#include "core/execution/fp32_precision.h"
#include "core/protocol/render_fields.h"
#include "tests/gpu/gpu.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::vae::wan21 {
namespace {

class VaeOnGpu : public OnGpu {
  protected:
    WanVae load(const std::string& name, at::ScalarType dtype, WanVaeOptions options = {}) {
        execution::setFp32Precision(protocol::kIeee);
        TensorMap source(readTensors(name + ".safetensors"));
        return {weights::WeightScope(source, dtype, gpu.device), fixtureConfig(name), options};
    }
};

constexpr const char* kFixtures[]{"odd_halves", "odd_widths", "two_blocks", "two_levels_in_time"};

TEST_F(VaeOnGpu, EqualsTheReferenceInFp32) {
    for (const char* name : kFixtures) {
        const auto recorded = readTensors(std::string(name) + "_io.safetensors");
        const WanVae vae = load(name, at::kFloat);
        const auto clips = static_cast<int>(recorded.size() / 5);
        ASSERT_GT(clips, 0);
        for (int clip = 0; clip < clips; ++clip) {
            const auto of = [&](const char* what) { return recorded.at(std::to_string(clip) + "." + what); };
            EXPECT_LT(reelgrid::relativeError(decodeClips(vae, of("z").to(gpu.device)), of("y")), 1e-4)
                << name;
            const MomentsOfClips moments = encodeClips(vae, of("x").to(gpu.device));
            EXPECT_LT(reelgrid::relativeError(moments.mean_BCTHW, of("mean")), 1e-4) << name;
            EXPECT_LT(reelgrid::relativeError(moments.logvar_BCTHW, of("logvar")), 1e-4) << name;
        }
    }
}

TEST_F(VaeOnGpu, StaysCloseInSixteenBits) {
    for (const char* name : kFixtures) {
        const auto recorded = readTensors(std::string(name) + "_io.safetensors");
        for (const auto dtype : {at::kBFloat16, at::kHalf}) {
            const at::Tensor y = decodeClips(load(name, dtype), recorded.at("0.z").to(gpu.device));
            EXPECT_GE(cosine(y, recorded.at("0.y")), dtype == at::kHalf ? 0.9999 : 0.999)
                << name << " " << at::toString(dtype);
        }
    }
}

TEST_F(VaeOnGpu, GivesTheSameBitsInEveryRunAndNearlyInEveryChunking) {
    const auto recorded = readTensors("two_levels_in_time_io.safetensors");
    const at::Tensor z = recorded.at("0.z").to(gpu.device);
    const at::Tensor first = decodeClips(load("two_levels_in_time", at::kFloat), z);
    EXPECT_TRUE(at::equal(first, decodeClips(load("two_levels_in_time", at::kFloat), z)));
    const at::Tensor chunked =
        decodeClips(load("two_levels_in_time", at::kFloat, {.latentFramesPerChunk = 1}), z);
    EXPECT_LT(reelgrid::relativeError(chunked, first), 1e-5);
}

}  // namespace
}  // namespace reelgrid::vae::wan21
