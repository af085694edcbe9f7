#include "core/weights/lora.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/weights/safetensors_writer.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Tensors = std::map<std::string, at::Tensor>;

class LoraTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("lora_" + std::to_string(getpid()));
    at::Tensor m_weight = at::randn({6, 4}), m_bias = at::randn({6});
    at::Tensor m_a = at::randn({2, 4}), m_b = at::randn({6, 2});

    void SetUp() override {
        fs::create_directories(m_folder);
        write("base", {{"layer.weight", m_weight}, {"layer.bias", m_bias}, {"norm.weight", m_bias}});
    }
    void TearDown() override { fs::remove_all(m_folder); }

    fs::path write(const std::string& name, const Tensors& tensors) const {
        const fs::path file = m_folder / (name + ".safetensors");
        writeSafetensors(file, tensors).value();
        return file;
    }
    [[nodiscard]] LoraWeights with(const std::vector<Lora>& loras) const {
        return {std::make_unique<SafetensorsFolder>(m_folder / "base.safetensors"), loras,
                [](const std::string& module) {
                    return std::vector{module, "kohya_" + module, "base_model.model." + module};
                }};
    }
    void expectWeight(LoraWeights weights, const at::Tensor& expected) const {
        EXPECT_TRUE(at::allclose(weights.require("layer.weight", {6, 4}), expected, 1e-5, 1e-6));
        weights.requireAllTaken();
    }
    static std::string messageOf(const std::function<void()>& act) {
        try {
            act();
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "nothing was thrown";
    }
};

TEST_F(LoraTest, DiffusersMatricesAreMergedWithTheirScale) {
    const fs::path file = write("diffusers", {{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}});
    expectWeight(with({{file, 1}}), m_weight + at::mm(m_b, m_a));
    expectWeight(with({{file, -0.5}}), m_weight - 0.5 * at::mm(m_b, m_a));
}

TEST_F(LoraTest, KohyasAlphaIsSharedByTheRank) {
    const fs::path file = write("kohya", {{"kohya_layer.lora_down.weight", m_a},
                                          {"kohya_layer.lora_up.weight", m_b},
                                          {"kohya_layer.alpha", at::scalar_tensor(1.0)}});
    expectWeight(with({{file, 1}}), m_weight + 0.5 * at::mm(m_b, m_a));
}

TEST_F(LoraTest, AnAlphaMayBeAWholeNumber) {
    const auto file = [&](const at::Tensor& alpha) {
        return write("kohya", {{"kohya_layer.lora_down.weight", m_a},
                               {"kohya_layer.lora_up.weight", m_b},
                               {"kohya_layer.alpha", alpha}});
    };
    for (const at::ScalarType type : {at::kLong, at::kInt, at::kShort, at::kByte})
        expectWeight(with({{file(at::scalar_tensor(4).to(type)), 1}}), m_weight + 2 * at::mm(m_b, m_a));
    EXPECT_THAT(
        messageOf([&] {
            (void)with({{file(at::scalar_tensor(1).to(at::kBool)), 1}}).require("layer.weight", {6, 4});
        }),
        HasSubstr("tensor kohya_layer.alpha has neither whole nor floating-point numbers, a number"));
}

TEST_F(LoraTest, WithoutAnyNobodyIsAskedForNames) {
    LoraWeights weights(std::make_unique<SafetensorsFolder>(m_folder / "base.safetensors"), {}, {});
    EXPECT_TRUE(at::equal(weights.require("layer.weight", {6, 4}), m_weight));
}

TEST_F(LoraTest, ALayerUnderTwoNamesInOneFileIsRefused) {
    const fs::path file = write("twice", {{"layer.lora_A.weight", m_a},
                                          {"layer.lora_B.weight", m_b},
                                          {"kohya_layer.lora_down.weight", m_a},
                                          {"kohya_layer.lora_up.weight", m_b}});
    EXPECT_THAT(messageOf([&] {
                    (void)with({{file, 1}}).require("layer.weight", {6, 4});
                }),
                HasSubstr("layer and kohya_layer are names of one layer (layer), one of them was needed"));
}

TEST_F(LoraTest, ALayerUnderTwoKindsOfNamesInOneFileIsRefused) {
    const auto refusal = [&](const Tensors& more) {
        Tensors tensors{{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}};
        tensors.insert(more.begin(), more.end());
        return messageOf([&] { (void)with({{write("twice", tensors), 1}}).require("layer.weight", {6, 4}); });
    };
    EXPECT_THAT(
        refusal({{"layer.lora_down.weight", m_a}, {"layer.lora_up.weight", m_b}}),
        AllOf(HasSubstr("twice.safetensors: tensors layer.lora_A.weight and layer.lora_down.weight both"),
              HasSubstr("(layer), one of them was needed")));
    EXPECT_THAT(refusal({{"layer.diff", m_weight}}),
                HasSubstr("tensors layer.diff and layer.lora_A.weight both"));
}

TEST_F(LoraTest, AModulationHasAWholeDifferenceUnderEitherName) {
    const at::Tensor table = at::randn({1, 6, 4}), difference = at::randn({1, 6, 4});
    write("base", {{"blocks.0.scale_shift_table", table}});
    for (const char* name : {"blocks.0.diff_m", "blocks.0.modulation.diff"}) {
        const fs::path file = write("modulation", {{name, difference}});
        LoraWeights weights(std::make_unique<SafetensorsFolder>(m_folder / "base.safetensors"), {{file, 0.5}},
                            [](const std::string& module) {
                                return std::vector{module, module == "blocks.0.scale_shift_table"
                                                               ? std::string("blocks.0.modulation")
                                                               : "other." + module};
                            });
        EXPECT_TRUE(
            at::allclose(weights.require("blocks.0.scale_shift_table", {1, 6, 4}), table + 0.5 * difference))
            << name;
        weights.requireAllTaken();
    }
}

TEST_F(LoraTest, LeavesOutWhatItIsToldToAndSaysSo) {
    const fs::path file = write("related", {{"layer.lora_A.weight", m_a},
                                            {"layer.lora_B.weight", m_b},
                                            {"k_img.diff_b", m_bias},
                                            {"v_img.diff_b", m_bias}});
    LoraWeights weights = with({{file, 1}});
    (void)weights.require("layer.weight", {6, 4});
    EXPECT_THAT(messageOf([&] { weights.requireAllTaken(); }), HasSubstr("tensor k_img.diff_b"));
    const LoraShare isPictures = [](const std::string& name) { return name.starts_with("k_img"); };
    EXPECT_THAT(
        leftOutOf({{file, 1}, {file, 2}}, isPictures, "of layers that this model lacks"),
        testing::ElementsAre(file.string() + ": 1 tensor is left out, of layers that this model lacks "
                                             "(k_img.diff_b)"));
    weights.leaveOut(isPictures);
    EXPECT_THAT(messageOf([&] { weights.requireAllTaken(); }), HasSubstr("tensor v_img.diff_b"))
        << "of others as before";
}

TEST_F(LoraTest, SeveralAddUpAndWholeDifferencesCount) {
    const fs::path first = write("first", {{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}});
    const fs::path second =
        write("second", {{"layer.diff", m_weight}, {"layer.diff_b", m_bias}, {"norm.diff", m_bias}});
    LoraWeights weights = with({{first, 1}, {second, 2}});
    EXPECT_TRUE(
        at::allclose(weights.require("layer.weight", {6, 4}), 3 * m_weight + at::mm(m_b, m_a), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(weights.require("layer.bias", {6}), 3 * m_bias));
    EXPECT_THAT(
        messageOf([&] { weights.requireAllTaken(); }),
        AllOf(HasSubstr("second.safetensors: tensor norm.diff"), HasSubstr("no layer of this model")));
    EXPECT_TRUE(at::allclose(weights.require("norm.weight", {6}), 3 * m_bias));
    weights.requireAllTaken();
}

TEST_F(LoraTest, TheDtypeOfTheCheckpointStays) {
    write("base", {{"layer.weight", m_weight.to(at::kBFloat16)}});
    const fs::path file = write("diffusers", {{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}});
    const at::Tensor merged = with({{file, 1}}).require("layer.weight", {6, 4});
    EXPECT_EQ(merged.scalar_type(), at::kBFloat16);
    const at::Tensor expected =
        (m_weight.to(at::kBFloat16).to(at::kFloat) + at::mm(m_b, m_a)).to(at::kBFloat16);
    EXPECT_TRUE(at::allclose(merged.to(at::kFloat), expected.to(at::kFloat), 1e-2, 1e-2));
}

/// Rounded back to FP8, a change of a percent would be lost for the most part.
TEST_F(LoraTest, ASmallChangeOfPlainFp8IsKept) {
    at::manual_seed(0);
    const at::Tensor weight = at::randn({64, 48}), a = at::randn({2, 48}), b = at::randn({64, 2});
    const at::Tensor change = at::mm(b, a) * 0.01 / std::sqrt(2.0);
    const fs::path file = write("small", {{"layer.lora_A.weight", a}, {"layer.lora_B.weight", b}});
    for (const at::ScalarType fp8 : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
        const at::Tensor stored = weight.to(fp8);
        write("base", {{"layer.weight", stored}, {"other.weight", stored}});
        LoraWeights weights = with({{file, 0.01 / std::sqrt(2.0)}});
        const at::Tensor merged = weights.require("layer.weight", {64, 48});
        EXPECT_EQ(merged.scalar_type(), at::kBFloat16);
        EXPECT_TRUE(at::allclose(merged.to(at::kFloat), stored.to(at::kFloat) + change, 1.0 / 256, 1e-6));
        const at::Tensor effect = merged.to(at::kFloat) - stored.to(at::kFloat);
        EXPECT_LT((effect - change).norm().item<double>(), 0.25 * change.norm().item<double>())
            << at::toString(fp8);
        EXPECT_EQ(weights.require("other.weight", {64, 48}).scalar_type(), fp8)
            << "what no LoRA changes stays as it is stored";
    }
}

TEST_F(LoraTest, IsRefusedWhereItIsNotFiniteOrHasNoStrength) {
    const auto message = [&](const Tensors& tensors) {
        return messageOf([&] { (void)with({{write("bad", tensors), 1}}).require("layer.weight", {6, 4}); });
    };
    const auto matrices = [&](const std::string& module, const at::Tensor& a, const at::Tensor& b) {
        return Tensors{{module + ".lora_A.weight", a}, {module + ".lora_B.weight", b}};
    };
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THAT(message(matrices("layer", at::full({2, 4}, std::nan("")), m_b)),
                AllOf(HasSubstr("bad.safetensors: tensor \"layer.lora_A.weight\""), HasSubstr("NaN")));
    Tensors scaled = matrices("layer", m_a, m_b);
    scaled["layer.alpha"] = at::scalar_tensor(infinity);
    EXPECT_THAT(message(scaled), HasSubstr("\"layer.alpha\" has NaN or infinite values"));
    EXPECT_THAT(message(matrices("layer", at::zeros({0, 4}), at::zeros({6, 0}))),
                HasSubstr("layer has rank 0"));
    EXPECT_THAT(message(matrices("layer", at::ones({2, 4}, at::kLong), m_b)), HasSubstr("whole numbers"));
    EXPECT_THAT(message(matrices("base_model.model.layer", m_a, m_b)), HasSubstr("adapter_config.json"));
    write("base", {{"layer.weight", m_weight.to(at::kHalf)}});
    EXPECT_THAT(message(matrices("layer", at::full({2, 4}, 1e3), at::full({6, 2}, 1e3))),
                AllOf(HasSubstr("bad.safetensors: merged into layer.weight"), HasSubstr("range")));
}

TEST_F(LoraTest, SettingsInTheHeaderSayHowStrongItIs) {
    const fs::path file = m_folder / "settings.safetensors";
    const auto written = [&](const Tensors& tensors) {
        writeSafetensors(file, tensors,
                         {{"lora_adapter_metadata", R"({"transformer.r": 2, "transformer.lora_alpha": 6})"}})
            .value();
    };
    written({{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}, {"layer.lora_B.bias", m_bias}});
    LoraWeights weights = with({{file, 0.5}});
    EXPECT_TRUE(
        at::allclose(weights.require("layer.weight", {6, 4}), m_weight + 1.5 * at::mm(m_b, m_a), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(weights.require("layer.bias", {6}), 2.5 * m_bias));
    written({{"layer.lora_A.weight", m_a},
             {"layer.lora_B.weight", m_b},
             {"layer.alpha", at::scalar_tensor(1.0)}});
    EXPECT_THAT(messageOf([&] {
                    (void)with({{file, 1}}).require("layer.weight", {6, 4});
                }),
                HasSubstr("both say how strong it is"));
}

TEST_F(LoraTest, SettingsOfTheNetworkThatItsTensorsAreNamedAfterCount) {
    const fs::path file = m_folder / "settings.safetensors";
    const auto merged = [&](const std::string& prefix, const std::string& settings) {
        writeSafetensors(file, {{prefix + "layer.lora_A.weight", m_a}, {prefix + "layer.lora_B.weight", m_b}},
                         {{"lora_adapter_metadata", settings}})
            .value();
        LoraWeights weights(std::make_unique<SafetensorsFolder>(m_folder / "base.safetensors"), {{file, 1}},
                            [&](const std::string& module) { return std::vector{prefix + module}; });
        return weights.require("layer.weight", {6, 4}).clone();
    };
    const char* both =
        R"({"transformer.r": 2, "transformer.lora_alpha": 2, "unet.r": 2, "unet.lora_alpha": 6})";
    EXPECT_TRUE(at::allclose(merged("transformer.", both), m_weight + at::mm(m_b, m_a), 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(merged("unet.", both), m_weight + 3 * at::mm(m_b, m_a), 1e-5, 1e-6));
    EXPECT_THAT(messageOf([&] { (void)merged("transformer.", R"({"unet.r": 2, "unet.lora_alpha": 6})"); }),
                HasSubstr("lora_adapter_metadata says nothing of the network of \"layer\""));
}

TEST_F(LoraTest, SaysWhatDoesNotFit) {
    const auto message = [&](const Tensors& tensors) {
        return messageOf([&] {
            LoraWeights weights = with({{write("bad", tensors), 1}});
            (void)weights.require("layer.weight", {6, 4});
            weights.requireAllTaken();
        });
    };
    EXPECT_THAT(message({{"layer.lora_A.weight", m_a}}), HasSubstr("layer.lora_B.weight is missing"));
    EXPECT_THAT(message({{"layer.lora_A.weight", at::zeros({2, 5})}, {"layer.lora_B.weight", m_b}}),
                HasSubstr("layer.lora_A.weight has shape [2, 5]"));
    EXPECT_THAT(message({{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", at::zeros({6, 3})}}),
                HasSubstr("layer.lora_B.weight has shape [6, 3]"));
    EXPECT_THAT(message({{"layer.diff", at::zeros({4, 6})}}), HasSubstr("layer.diff has shape [4, 6]"));
    EXPECT_THAT(message({{"other.lora_A.weight", m_a}}), HasSubstr("nothing in it is named after"));
    EXPECT_THAT(message({{"layer.lokr_w1", m_a}, {"layer.lokr_w2", m_b}}),
                HasSubstr("tensor layer.lokr_w1 is of LoKr, which this version can't merge"));
    for (const std::string magnitude : {"layer.dora_scale", "layer.lora_magnitude_vector"})
        EXPECT_THAT(
            message({{"layer.lora_A.weight", m_a}, {"layer.lora_B.weight", m_b}, {magnitude, at::ones({6})}}),
            HasSubstr("tensor " + magnitude + " is of DoRA, which this version can't merge"));
}

/// A LoRA with names of every kind and shapes and dtypes that may have nothing to do with them.
class RandomLora {
  public:
    explicit RandomLora(std::uint64_t seed) : m_engine(seed) {}
    Tensors tensors() {
        static const std::vector<std::string> kModules{"layer", "kohya_layer", "base_model.model.layer",
                                                       "norm",  "other",       ""};
        static const std::vector<std::string> kParts{".lora_A.weight",
                                                     ".lora_B.weight",
                                                     ".lora_down.weight",
                                                     ".lora_up.weight",
                                                     ".alpha",
                                                     ".diff",
                                                     ".diff_b",
                                                     ".lora_mid.weight",
                                                     ".dora_scale",
                                                     ".lora_A.default.weight",
                                                     ""};
        Tensors made;
        if (pick(8) == 0) {
            const std::int64_t rank = 1 + pick(4);
            made["layer.lora_A.weight"] = at::randn({rank, 4});
            made["layer.lora_B.weight"] = at::randn({6, rank});
            return made;
        }
        for (int count = pick(6); count >= 0; --count) {
            const std::string module = kModules[static_cast<std::size_t>(pick(6))];
            made[module + kParts[static_cast<std::size_t>(pick(11))]] = tensor();
            if (pick(3) == 0) continue;
            // A pair whose inner extents may agree.
            const std::int64_t rank = pick(4);
            made[module + ".lora_A.weight"] = at::randn({rank, pick(2) == 0 ? 4 : pick(9)});
            made[module + ".lora_B.weight"] =
                at::randn({pick(2) == 0 ? 6 : pick(9), pick(3) == 0 ? pick(4) : rank});
        }
        return made;
    }

  private:
    int pick(int below) { return static_cast<int>(m_engine() % static_cast<std::uint64_t>(below)); }
    at::Tensor tensor() {
        std::vector<std::int64_t> shape(static_cast<std::size_t>(pick(5)));
        for (std::int64_t& extent : shape) extent = pick(8);
        static const std::vector<at::ScalarType> kTypes{at::kFloat,  at::kBFloat16, at::kHalf,
                                                        at::kDouble, at::kLong,     at::kByte};
        const at::Tensor made = at::randn(shape) * (pick(8) == 0 ? 1e30 : 1);
        return made.to(kTypes[static_cast<std::size_t>(pick(6))]);
    }
    std::mt19937_64 m_engine;
};

TEST_F(LoraTest, AnyIsMergedOrRefusedInOneLine) {
    at::manual_seed(0);
    int merged = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const fs::path file = write("random", RandomLora(seed).tensors());
        // Anything but a Failure that is thrown ends the test.
        const std::string refusal = messageOf([&] {
            LoraWeights weights = with({{file, 1}});
            for (const auto& [name, shape] : std::map<std::string, std::vector<std::int64_t>>{
                     {"layer.weight", {6, 4}}, {"layer.bias", {6}}, {"norm.weight", {6}}}) {
                const at::Tensor tensor = weights.require(name, shape);
                EXPECT_EQ(tensor.sizes(), at::IntArrayRef(shape)) << "seed " << seed;
                EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << "seed " << seed;
            }
            weights.requireAllTaken();
            ++merged;
        });
        if (refusal == "nothing was thrown") continue;
        EXPECT_THAT(refusal, HasSubstr("random.safetensors")) << "seed " << seed;
        EXPECT_EQ(refusal.find('\n'), refusal.npos) << "seed " << seed << ": " << refusal;
    }
    EXPECT_GE(merged, 10) << "of such as fit";
}

}  // namespace
}  // namespace reelgrid::weights
