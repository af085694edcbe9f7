#include "core/execution/fp32_precision.h"
#include "core/protocol/render_fields.h"
#include "core/vae/norm_kernels.h"
#include "tests/gpu/gpu.h"
#include "tests/vae/cogvideox/vae_fixture.h"

namespace reelgrid::vae::cogvideox {
namespace {

class CogVideoXVaeOnGpu : public OnGpu {
  protected:
    CogVideoXVae load(const std::string& name, at::ScalarType dtype) {
        execution::setFp32Precision(protocol::kIeee);
        TensorMap source(readTensors("cogvideox/" + name + ".safetensors"));
        return {weights::WeightScope(source, dtype, gpu.device), fixtureConfig(name)};
    }
};

constexpr const char* kFixtures[]{"four_sizes", "odd_widths", "tiles"};

TEST_F(CogVideoXVaeOnGpu, EqualsTheReferenceInFp32) {
    for (const char* name : kFixtures) {
        const RecordedClips recorded(name);
        const CogVideoXVae vae = load(name, at::kFloat);
        for (int clip = 0; clip < recorded.count(); ++clip) {
            const at::Tensor frames = decoded(vae, recorded.of(clip, "z").to(gpu.device));
            EXPECT_LT(reelgrid::relativeError(frames, recorded.frames(clip)), 1e-4) << name << " " << clip;
            const LatentMoments moments = vae.encode(recorded.of(clip, "x").to(gpu.device));
            EXPECT_LT(reelgrid::relativeError(moments.mean_CTHW, recorded.of(clip, "mean")), 1e-4) << name;
            EXPECT_LT(reelgrid::relativeError(moments.logvar_CTHW, recorded.of(clip, "logvar")), 1e-4)
                << name;
        }
    }
}

TEST_F(CogVideoXVaeOnGpu, StaysCloseInSixteenBits) {
    for (const char* name : kFixtures) {
        const RecordedClips recorded(name);
        for (const auto dtype : {at::kBFloat16, at::kHalf}) {
            const at::Tensor frames = decoded(load(name, dtype), recorded.of(0, "z").to(gpu.device));
            EXPECT_GE(cosine(frames, recorded.frames(0)), dtype == at::kHalf ? 0.9999 : 0.999)
                << name << " " << at::toString(dtype);
        }
    }
}

TEST_F(CogVideoXVaeOnGpu, GivesTheSameBitsInEveryRun) {
    const at::Tensor z = RecordedClips("four_sizes").of(4, "z").to(gpu.device);
    const at::Tensor first = decoded(load("four_sizes", at::kBFloat16), z);
    EXPECT_TRUE(at::equal(first, decoded(load("four_sizes", at::kBFloat16), z)));
}

class NormKernelsOnGpu : public OnGpu {};

TEST_F(NormKernelsOnGpu, EqualTheSumsInFp64) {
    at::manual_seed(3);
    for (const auto dtype : {at::kFloat, at::kBFloat16, at::kHalf})
        for (const std::int64_t channels : {8, 24, 128, 512, 1024})
            for (const std::int64_t rows : {1, 6, 300}) {
                const std::int64_t columns = 10;
                const at::Tensor x_HWC = (at::randn({rows, columns, channels}) * 2 + 5).to(dtype);
                const at::Tensor onGpu = x_HWC.to(gpu.device);
                const ChannelMoments moments = NormKernels::moments(onGpu.view({-1, channels}));
                const auto [variance, mean] =
                    at::var_mean(x_HWC.to(at::kDouble).view({-1, channels}), at::IntArrayRef{0}, 0);
                EXPECT_LT(reelgrid::relativeError(moments.mean_C, mean), 1e-5) << channels << " " << rows;
                EXPECT_LT((moments.variance_C.cpu() - variance).abs().max().item<double>(), 1e-4)
                    << channels << " " << rows;

                const std::int64_t h = rows % 3 == 0 ? rows / 3 : 1, w = columns / 5;
                const at::Tensor scale = at::randn({h, w, channels}), shift = at::randn({h, w, channels});
                const at::Tensor out = at::empty_like(onGpu);
                NormKernels::activate(out, onGpu, scale.to(gpu.device), shift.to(gpu.device));
                const auto spread = [&](const at::Tensor& cells) {
                    return cells.to(at::kDouble).repeat_interleave(rows / h, 0).repeat_interleave(5, 1);
                };
                const at::Tensor exact = at::silu(x_HWC.to(at::kDouble) * spread(scale) + spread(shift));
                EXPECT_LT(reelgrid::relativeError(out, exact), dtype == at::kFloat ? 1e-5 : 4e-3)
                    << channels << " " << rows << " " << at::toString(dtype);
            }
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
