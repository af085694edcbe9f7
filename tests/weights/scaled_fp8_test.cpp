#include "core/weights/scaled_fp8.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "core/base/result.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ScaledFp8Test : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("scaled_fp8_" + std::to_string(getpid()));
    at::Tensor m_matrix = at::linspace(-3, 5, 64 * 32).reshape({64, 32});
    at::Tensor m_scale = at::full({}, 5.0 / 448, at::kFloat);

    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    SafetensorsFolder stored(std::map<std::string, at::Tensor> tensors, bool isMarked = true) {
        if (isMarked) tensors["scaled_fp8"] = at::empty({0}, at::kFloat8_e4m3fn);
        EXPECT_TRUE(writeSafetensors(m_folder / "model.safetensors", tensors));
        return SafetensorsFolder(m_folder);
    }
    at::Tensor quantised() const { return (m_matrix / m_scale).to(at::kFloat8_e4m3fn); }

    template <class Read>
    static std::string messageOf(const Read& read) {
        try {
            read();
            return "read";
        } catch (const Failure& failure) {
            return failure.error().message;
        }
    }
    std::string messageOfReading(const at::Tensor& scale) {
        SafetensorsFolder folder = stored({{"q.weight", quantised()}, {"q.scale_weight", scale}});
        return messageOf([&] { (void)folder.require("q.weight", {64, 32}); });
    }
};

TEST_F(ScaledFp8Test, AMatrixComesOutAsTheProductWithItsScaleInBf16) {
    SafetensorsFolder folder = stored({{"q.weight", quantised()}, {"q.scale_weight", m_scale}});
    const at::Tensor read = folder.require("q.weight", {64, 32});
    EXPECT_EQ(read.scalar_type(), at::kBFloat16);
    EXPECT_TRUE(at::equal(read, (quantised().to(at::kFloat) * m_scale).to(at::kBFloat16)));
    // Four significant bits, then bf16's eight: half a step of the former and of the latter.
    EXPECT_THAT(folder.names(), testing::ElementsAre("q.weight"));
    EXPECT_TRUE(at::allclose(read.to(at::kFloat), m_matrix, 1.0 / 16 + 1.0 / 256, 1e-4));
}

TEST_F(ScaledFp8Test, AScaleMayBeAVectorOfOne) {
    SafetensorsFolder folder = stored({{"q.weight", quantised()}, {"q.scale_weight", m_scale.reshape({1})}});
    EXPECT_EQ(folder.require("q.weight", {64, 32}).scalar_type(), at::kBFloat16);
}

/// As LightX2V's distilled models of Wan store them, and ComfyUI's newer files.
TEST_F(ScaledFp8Test, EachRowMayHaveItsOwnScaleUnderEitherName) {
    const at::Tensor scales = at::linspace(0.01, 0.03, 64);
    const at::Tensor fp8 = (m_matrix / scales.reshape({64, 1})).to(at::kFloat8_e4m3fn);
    const at::Tensor wanted = (fp8.to(at::kFloat) * scales.reshape({64, 1})).to(at::kBFloat16);
    for (const char* name : {"q.scale_weight", "q.weight_scale"})
        for (const at::Tensor& scale : {scales, scales.reshape({64, 1})}) {
            SafetensorsFolder folder =
                stored({{"q.weight", fp8}, {name, scale}, {"q.comfy_quant", at::ones({4}, at::kByte)}});
            EXPECT_TRUE(at::equal(folder.require("q.weight", {64, 32}), wanted)) << name;
            EXPECT_THAT(folder.names(), testing::ElementsAre("q.weight"));
        }
    SafetensorsFolder one = stored({{"q.weight", quantised()}, {"q.weight_scale", m_scale}});
    EXPECT_TRUE(at::equal(one.require("q.weight", {64, 32}),
                          (quantised().to(at::kFloat) * m_scale).to(at::kBFloat16)));
    SafetensorsFolder both =
        stored({{"q.weight", quantised()}, {"q.weight_scale", m_scale}, {"q.scale_weight", m_scale}});
    EXPECT_THROW((void)both.require("q.weight", {64, 32}), Failure);
}

TEST_F(ScaledFp8Test, WithoutAScaleFp8StaysAsItIsStored) {
    SafetensorsFolder folder = stored({{"q.weight", quantised()}}, /*isMarked=*/false);
    EXPECT_EQ(folder.require("q.weight", {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
    SafetensorsFolder mixed =
        stored({{"q.weight", quantised()}, {"k.weight", quantised()}, {"k.scale_weight", m_scale}});
    EXPECT_EQ(mixed.require("q.weight", {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
}

TEST_F(ScaledFp8Test, AMarkedFileWithFewScalesHasLostTheOthers) {
    SafetensorsFolder folder = stored({{"q.weight", quantised()}});
    EXPECT_THAT(messageOf([&] {
                    (void)folder.require("q.weight", {64, 32});
                }),
                HasSubstr("is in FP8 without a scale, as most are, in a file marked \"scaled_fp8\""));
    SafetensorsFolder fewer = stored({{"k.weight", quantised()},
                                      {"q.weight", quantised()},
                                      {"v.weight", quantised()},
                                      {"v.scale_weight", m_scale}});
    EXPECT_THAT(messageOf([&] {
                    (void)fewer.require("q.weight", {64, 32});
                }),
                HasSubstr("is in FP8 without a scale, as most are"));
}

TEST_F(ScaledFp8Test, AMarkedFileWithoutTheScalesOfOneKindOfLayerHasLostThem) {
    std::map<std::string, at::Tensor> tensors{{"patch_embedding.weight", quantised()},
                                              {"text_embedding.0.weight", quantised()},
                                              {"text_embedding.2.weight", quantised()}};
    for (const std::string block : {"blocks.0.", "blocks.1.", "blocks.2."}) {
        tensors[block + "norm.weight"] = at::ones({8}).to(at::kFloat8_e4m3fn);
        for (const std::string layer : {"q", "k", "v", "o"}) {
            tensors[block + layer + ".weight"] = quantised();
            if (layer != "q") tensors[block + layer + ".scale_weight"] = m_scale;
        }
    }
    SafetensorsFolder folder = stored(tensors);
    EXPECT_THAT(messageOf([&] {
                    (void)folder.require("blocks.1.q.weight", {64, 32});
                }),
                HasSubstr("tensor \"blocks.1.q.weight\" is in FP8 without a scale, as in all blocks"));
    EXPECT_EQ(folder.require("blocks.0.norm.weight", {8}).scalar_type(), at::kFloat8_e4m3fn);
    for (const char* single : {"patch_embedding.weight", "text_embedding.0.weight"})
        EXPECT_EQ(folder.require(single, {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
    SafetensorsFolder plain = stored(tensors, /*isMarked=*/false);
    EXPECT_EQ(plain.require("blocks.1.q.weight", {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
}

TEST_F(ScaledFp8Test, AScaleThatOneOfManyBlocksHasLostIsMissed) {
    SafetensorsFolder folder = stored({{"blocks.0.q.weight", quantised()},
                                       {"blocks.0.q.scale_weight", m_scale},
                                       {"blocks.1.q.weight", quantised()},
                                       {"blocks.1.k.weight", quantised()}},
                                      /*isMarked=*/false);
    try {
        (void)folder.require("blocks.1.q.weight", {64, 32});
        ADD_FAILURE() << "another matrix was taken";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    HasSubstr("tensor \"blocks.1.q.weight\" is in FP8 without a scale, which "
                              "\"blocks.0.q.weight\" has: "
                              "\"blocks.1.q.scale_weight or blocks.1.q.weight_scale\" was needed"));
    }
    EXPECT_EQ(folder.require("blocks.1.k.weight", {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
    EXPECT_EQ(folder.require("blocks.0.q.weight", {64, 32}).scalar_type(), at::kBFloat16);
}

TEST_F(ScaledFp8Test, AScaleByANameThatIsNotReadHereIsRefused) {
    for (const std::string scale : {"q.weight_scale_inv", "q.scale"}) {
        SafetensorsFolder folder = stored({{"q.weight", quantised()}, {scale, m_scale}});
        try {
            (void)folder.require("q.weight", {64, 32});
            ADD_FAILURE() << scale << " was passed over";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, HasSubstr("tensor \"" + scale + "\" scales \"q.weight\""));
        }
    }
    SafetensorsFolder folder =
        stored({{"q.weight", quantised()}, {"q.input_scale", m_scale}}, /*isMarked=*/false);
    EXPECT_EQ(folder.require("q.weight", {64, 32}).scalar_type(), at::kFloat8_e4m3fn);
}

/// Whether the matrix has it in it nobody can say.
TEST_F(ScaledFp8Test, AScaleOfAMatrixThatIsNotInFp8MustBeOne) {
    SafetensorsFolder wide = stored({{"q.weight", m_matrix}, {"q.weight_scale", m_scale}});
    EXPECT_THAT(
        messageOf([&] {
            (void)wide.require("q.weight", {64, 32});
        }),
        HasSubstr("tensor \"q.weight_scale\" scales \"q.weight\", which is in Float; a weight in FP8, or "
                  "a scale of 1, was needed"));
    SafetensorsFolder one = stored({{"q.weight", m_matrix}, {"q.weight_scale", at::ones({1})}});
    EXPECT_TRUE(at::equal(one.require("q.weight", {64, 32}), m_matrix));
}

TEST_F(ScaledFp8Test, OtherTensorsOfSuchAFileAreUntouched) {
    SafetensorsFolder folder = stored({{"q.bias", at::ones({4}, at::kBFloat16)},
                                       {"q.weight", at::ones({2, 2})},
                                       {"k.weight", quantised()},
                                       {"k.scale_weight", m_scale}});
    EXPECT_EQ(folder.require("q.bias", {4}).scalar_type(), at::kBFloat16);
    EXPECT_TRUE(at::equal(folder.require("q.weight", {2, 2}), at::ones({2, 2})));
}

TEST_F(ScaledFp8Test, RejectsAScaleThatIsNoPositiveNumber) {
    EXPECT_THAT(messageOfReading(at::zeros({}, at::kFloat)), HasSubstr("\"q.scale_weight\" has 0"));
    at::Tensor rows = at::ones({64});
    rows[63] = std::numeric_limits<float>::infinity();
    EXPECT_THAT(messageOfReading(rows),
                HasSubstr("\"q.scale_weight\" has inf, positive numbers were needed"));
    // As MX formats keep exponents.
    for (const at::ScalarType dtype : {at::kByte, at::kBool, at::kLong})
        EXPECT_THAT(messageOfReading(at::ones({}, dtype)), HasSubstr("a floating-point one was needed"));
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{32}, {1, 64}, {64, 2}, {64, 1, 1}})
        EXPECT_THAT(messageOfReading(at::ones(shape)),
                    HasSubstr("one number or one for each of 64 rows was needed"));
}

}  // namespace
}  // namespace reelgrid::weights
