#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "core/base/json.h"
#include "core/execution/fused_values.h"
#include "core/schedulers/scheduler.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

using execution::FusedValues;
using FusedWay = FusedValues::Way;

/// Values made one by one for as long as it lives.
struct OneByOne {
    OneByOne() { FusedValues::setWay(FusedWay::OneByOne); }
    ~OneByOne() { FusedValues::setWay(FusedWay::OnePass); }
};

/// Some operations on some tensors, the same for the same seed.
std::vector<at::Tensor> randomlyMade(unsigned seed, const std::vector<at::Tensor>& inputs) {
    std::mt19937 random(seed);
    FusedValues values;
    std::vector<FusedValues::Value> known;
    for (const at::Tensor& input : inputs) known.push_back(values.of(input));
    const auto any = [&] { return known[random() % known.size()]; };
    const unsigned steps = 1 + random() % 20;
    for (unsigned i = 0; i < steps; ++i) {
        const double number = static_cast<double>(random() % 1000) / 300 + 0.1;
        switch (random() % 5) {
            case 0:
                known.push_back(any() + any());
                break;
            case 1:
                known.push_back(any() - any());
                break;
            case 2:
                known.push_back(any() * any());
                break;
            case 3:
                known.push_back(any() * number);
                break;
            default:
                known.push_back(any() / number);
        }
    }
    return values.made({known.back(), known[known.size() / 2]});
}

TEST(FusedValues, HaveTheBitsOfOperationsOneByOne) {
    at::manual_seed(3);
    const std::vector<std::vector<std::int64_t>> shapes{
        {1}, {7}, {1, 4, 3, 5, 2}, {2, 3, 129, 131}, {1, 4, 14, 72, 128}};
    for (unsigned seed = 0; seed < 60; ++seed) {
        const auto& shape = shapes[seed % shapes.size()];
        std::vector<at::Tensor> inputs{at::randn(shape), at::randn(shape), at::randn(shape)};
        // One that is the same along all dimensions but the middle one, as guidance over frames is.
        std::vector<std::int64_t> along(shape.size(), 1);
        along[shape.size() / 2] = shape[shape.size() / 2];
        inputs.push_back(at::randn(along));
        if (seed % 3 == 0) inputs.push_back(at::randn(shape).transpose(0, -1).contiguous().transpose(0, -1));
        const std::int64_t before = FusedValues::bytesMoved();
        const std::vector<at::Tensor> fused = randomlyMade(seed, inputs);
        const std::int64_t moved = FusedValues::bytesMoved() - before;
        const OneByOne slowly;
        const std::vector<at::Tensor> exact = randomlyMade(seed, inputs);
        for (std::size_t i = 0; i < exact.size(); ++i)
            EXPECT_TRUE(at::allclose(fused[i], exact[i].expand_as(fused[i]), 0, 0, true)) << seed << " " << i;
        EXPECT_GT(moved, 0);
    }
}

TEST(FusedValues, AreReadOnceAndWrittenOnce) {
    const at::Tensor a = at::randn({1000}), b = at::randn({1000});
    FusedValues values;
    const auto x = values.of(a), y = values.of(b);
    const std::int64_t before = FusedValues::bytesMoved();
    (void)values.made((x + y) * 0.5 - x * y + values.of(a));
    EXPECT_EQ(FusedValues::bytesMoved() - before, 3 * 1000 * 4);
}

/// What isn't fp32 is made by libtorch.
TEST(FusedValues, TakeOtherTypesOneByOne) {
    const at::Tensor x = at::randn({5}, at::kDouble);
    FusedValues values;
    const at::Tensor made = values.made(values.of(x) * 2 + values.of(x));
    EXPECT_EQ(made.scalar_type(), at::kDouble);
    EXPECT_TRUE(at::equal(made, x * 2 + x));
}

/// Every recorded sampler's walk, by both ways.
TEST(FusedSteps, WalkWithTheSameBits) {
    std::ifstream file(REELGRID_SOURCE_DIR "/tests/fixtures/schedulers/vp.json");
    const nlohmann::json recorded = nlohmann::json::parse(file).at("cases");
    std::vector<weights::ModelConfig> configs;
    for (const auto& each : recorded) configs.emplace_back(each.at("config"), each.at("name"));
    configs.emplace_back(nlohmann::json{{"_class_name", "UniPCMultistepScheduler"},
                                        {"prediction_type", "flow_prediction"},
                                        {"use_flow_sigmas", true},
                                        {"solver_order", 3},
                                        {"flow_shift", 3.0}},
                         "unipc");
    configs.emplace_back(nlohmann::json{{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 3.0}},
                         "euler");
    int walked = 0;
    for (const weights::ModelConfig& config : configs) {
        const auto walk = [&] {
            at::manual_seed(5);
            const auto scheduler = makeScheduler(config, {}, [] { return at::randn({1, 3, 2, 9, 7}); });
            scheduler->setTimesteps(6);
            at::Tensor x = at::randn({1, 3, 2, 9, 7}) * scheduler->initialNoiseSigma();
            const auto steps = static_cast<std::int64_t>(scheduler->timesteps().size());
            for (std::int64_t i = 0; i < steps; ++i)
                x = scheduler->step(at::tanh(scheduler->scaleModelInput(x, i)) * 0.7, i, x);
            return x;
        };
        const at::Tensor fused = walk();
        const OneByOne slowly;
        EXPECT_TRUE(at::equal(fused, walk())) << config.text("_class_name");
        ++walked;
    }
    EXPECT_GT(walked, 8);
}

}  // namespace
}  // namespace reelgrid::schedulers
