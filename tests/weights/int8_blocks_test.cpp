#include "core/weights/int8_blocks.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

using testing::HasSubstr;

class Stored final : public WeightSource {
  public:
    explicit Stored(std::map<std::string, at::Tensor> tensors) : m_tensors(std::move(tensors)) {}
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        const auto found = m_tensors.find(name);
        if (found == m_tensors.end() || found->second.sizes() != shape)
            throw Failure(ErrorCode::InvalidData, "tensor " + name + " is missing or of another shape");
        return found->second;
    }
    [[nodiscard]] bool has(const std::string& name) const override { return m_tensors.contains(name); }

  private:
    std::map<std::string, at::Tensor> m_tensors;
};

Int8BlockWeights of(std::map<std::string, at::Tensor> tensors) {
    return Int8BlockWeights(std::make_unique<Stored>(std::move(tensors)));
}

std::string refusalOf(Int8BlockWeights weights, at::IntArrayRef shape) {
    try {
        (void)weights.require("a.weight", shape);
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "accepted";
}

TEST(Int8Blocks, AWeightIsTheIntegerTimesItsBlocksScale) {
    const at::Tensor integers = at::randint(-128, 128, {130, 300}).to(at::kChar), scales = at::rand({2, 3});
    auto weights = of({{"a.int8_weight", integers}, {"a.scale", scales}, {"a.bias", at::ones({130})}});
    EXPECT_TRUE(weights.has("a.weight"));
    EXPECT_TRUE(weights.has("a.int8_weight"));
    EXPECT_FALSE(weights.has("b.weight"));
    const at::Tensor weight = weights.require("a.weight", {130, 300});
    for (const auto& [row, column] : {std::pair{0, 0}, {127, 127}, {128, 128}, {129, 299}, {5, 256}})
        EXPECT_EQ(weight[row][column].item<float>(), float(integers[row][column].item<std::int8_t>()) *
                                                         scales[row / 128][column / 128].item<float>());
    EXPECT_TRUE(at::equal(weights.require("a.bias", {130}), at::ones({130})));
}

TEST(Int8Blocks, SaysWhatDoesNotFit) {
    const at::Tensor integers = at::ones({130, 300}, at::kChar), scales = at::ones({2, 3});
    EXPECT_THAT(refusalOf(of({{"a.int8_weight", integers}}), {130, 300}), HasSubstr("a.scale"));
    EXPECT_THAT(refusalOf(of({{"a.int8_weight", integers}, {"a.scale", at::ones({1, 3})}}), {130, 300}),
                HasSubstr("a.scale"));
    EXPECT_THAT(refusalOf(of({{"a.int8_weight", integers}, {"a.scale", scales}}), {130, 301}),
                HasSubstr("a.int8_weight"));
    EXPECT_THAT(refusalOf(of({{"a.int8_weight", integers.to(at::kInt)}, {"a.scale", scales}}), {130, 300}),
                HasSubstr("has dtype Int, int8 was needed"));
    EXPECT_THAT(refusalOf(of({{"a.int8_weight", integers}, {"a.scale", scales.to(at::kInt)}}), {130, 300}),
                HasSubstr("a floating-point one was needed"));
}

}  // namespace
}  // namespace reelgrid::weights
