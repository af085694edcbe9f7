#include "core/denoising/free_init.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/schedulers/initial_noise.h"
#include "core/weights/model_config.h"

namespace reelgrid::denoising {
namespace {

const std::vector<std::int64_t> kClip{1, 2, 4, 6, 5};

std::unique_ptr<schedulers::Scheduler> sampler(const char* name) {
    return schedulers::makeScheduler(weights::ModelConfig(
        nlohmann::json{{"_class_name", name}, {"clip_sample", false}, {"skip_prk_steps", true}}, "config"));
}

at::Tensor walked(FreeInit& freeInit, at::Tensor sample, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
        sample = freeInit.step(0.3 * freeInit.scaleModelInput(sample, i), i, sample);
    return sample;
}

TEST(FreeInitTest, WalksItsSamplerSeveralTimes) {
    schedulers::NoiseStream stream(5);
    FreeInit freeInit(sampler("DDIMScheduler"), 3, 0.01, [&] { return stream.draw(kClip); });
    freeInit.setTimesteps(4);
    EXPECT_THAT(freeInit.timesteps(), testing::SizeIs(12));
    EXPECT_THAT(freeInit.sigmas(), testing::SizeIs(13));
    EXPECT_EQ(freeInit.timesteps()[0], freeInit.timesteps()[8]);
    const at::Tensor noise = stream.draw(kClip);
    freeInit.beginWith(noise);
    const at::Tensor once = walked(freeInit, noise, 0, 3), begun = walked(freeInit, once, 3, 4);
    // Noise again, as far as the filter lets it.
    EXPECT_GT(begun.std().item<double>(), 0.8);
    EXPECT_GT((begun - noise).abs().max().item<double>(), 0.5);
}

TEST(FreeInitTest, GoesOnFromWhatItRemembered) {
    for (const char* name : {"DDIMScheduler", "PNDMScheduler"}) {
        schedulers::NoiseStream stream(5);
        FreeInit whole(sampler(name), 2, 0.01, [&] { return stream.draw(kClip); });
        whole.setTimesteps(4);
        const auto count = std::int64_t(whole.timesteps().size());
        const at::Tensor noise = stream.draw(kClip), start = stream.state();
        for (std::int64_t next = 1; next < count; ++next) {
            stream.restore(start);
            whole.setTimesteps(4);
            whole.beginWith(noise);
            const at::Tensor half = walked(whole, noise, 0, next);
            const auto remembered = whole.state();
            ASSERT_TRUE(remembered);
            const at::Tensor drawn = stream.state();
            const at::Tensor end = walked(whole, half, next, count);

            FreeInit again(sampler(name), 2, 0.01, [&] { return stream.draw(kClip); });
            again.setTimesteps(4);
            again.restore(next, *remembered);
            stream.restore(drawn);
            EXPECT_TRUE(at::equal(walked(again, half, next, count), end)) << name << " from step " << next;
        }
    }
}

TEST(FreeInitTest, TheFilterKeepsWhatChangesSlowly) {
    const at::Tensor filter = freeInitFilter(8, 8, 8);
    EXPECT_NEAR(filter[4][4][4].item<double>(), 1, 1e-6);
    EXPECT_LT(filter[0][0][0].item<double>(), 1e-6);
    const at::Tensor same = at::full({1, 1, 8, 8, 8}, 3.0F), other = at::zeros({1, 1, 8, 8, 8});
    EXPECT_TRUE(at::allclose(mixedFrequencies(same, other, filter), same, 1e-5, 1e-5));
    EXPECT_TRUE(at::allclose(mixedFrequencies(other, same, filter), other, 1e-5, 1e-5));
}

}  // namespace
}  // namespace reelgrid::denoising
