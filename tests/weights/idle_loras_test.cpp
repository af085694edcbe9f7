#include "core/weights/idle_loras.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/weights/safetensors_writer.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class IdleLoras : public testing::Test {
  protected:
    fs::path m_file =
        fs::path(testing::TempDir()) / ("idle_loras_" + std::to_string(getpid()) + ".safetensors");
    at::Tensor m_down = at::ones({2, 4}), m_up = at::ones({6, 2});
    void TearDown() override { fs::remove(m_file); }

    [[nodiscard]] std::vector<std::string> linesOf(const std::map<std::string, at::Tensor>& tensors,
                                                   double scale = 1, const std::string& settings = "") const {
        std::map<std::string, std::string> metadata;
        if (!settings.empty()) metadata["lora_adapter_metadata"] = settings;
        writeSafetensors(m_file, tensors, metadata).value();
        return idleLoras({{m_file, scale}, {m_file, scale}});
    }
    [[nodiscard]] std::string line(const std::string& why) const {
        return m_file.string() + ": this LoRA changes nothing, since " + why;
    }
};

TEST_F(IdleLoras, AreNoneOfThoseThatChangeSomething) {
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down}, {"a.lora_B.weight", m_up}}), IsEmpty());
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down},
                         {"a.lora_B.weight", at::zeros({6, 2})},
                         {"b.lora_down.weight", m_down},
                         {"b.lora_up.weight", m_up},
                         {"b.alpha", at::scalar_tensor(1)}}),
                IsEmpty());
    EXPECT_THAT(linesOf({{"a.diff_b", at::ones({6})}}), IsEmpty());
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down}, {"a.lora_B.weight", m_up}}, -0.5), IsEmpty());
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down}, {"a.lora_B.weight", m_up}}, 1,
                        R"({"r": 2, "lora_alpha": 0, "alpha_pattern": {"a": 1}})"),
                IsEmpty());
}

TEST_F(IdleLoras, AreNamedWithTheScale) {
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down}, {"a.lora_B.weight", m_up}}, 0),
                ElementsAre(line("its scale is 0")));
}

TEST_F(IdleLoras, AreNamedWithTheAlpha) {
    for (const at::ScalarType type : {at::kFloat, at::kLong})
        EXPECT_THAT(linesOf({{"a.lora_down.weight", m_down},
                             {"a.lora_up.weight", m_up},
                             {"a.alpha", at::zeros({}, type)}}),
                    ElementsAre(line("the alpha of each of its layers is 0")));
    for (const char* prefix : {"", "transformer."})
        EXPECT_THAT(linesOf({{"transformer.a.lora_A.weight", m_down}, {"transformer.a.lora_B.weight", m_up}},
                            1, "{\"" + std::string(prefix) + "lora_alpha\": 0}"),
                    ElementsAre(line("the alpha of each of its layers is 0")));
}

TEST_F(IdleLoras, AreNamedWhereTheyAddTooLittleForAnyWeight) {
    const std::string why = line("with its scale and alpha it adds less than 1e-20 to each weight");
    const std::map<std::string, at::Tensor> matrices{{"transformer.a.lora_A.weight", m_down},
                                                     {"transformer.a.lora_B.weight", m_up}};
    std::map<std::string, at::Tensor> weak = matrices, weaker = matrices;
    weak["transformer.a.alpha"] = at::scalar_tensor(1e-45, at::kFloat);
    EXPECT_THAT(linesOf(weak), ElementsAre(why));
    weak["transformer.a.alpha"] = at::scalar_tensor(1e-18, at::kFloat);
    EXPECT_THAT(linesOf(weak), IsEmpty());
    EXPECT_THAT(linesOf(weak, -1e-4), ElementsAre(why));
    weaker["transformer.b.lora_A.weight"] = m_down;
    weaker["transformer.b.lora_B.weight"] = at::zeros({6, 2});
    EXPECT_THAT(linesOf(weaker, 1e-30), ElementsAre(why)) << "and others that add nothing";
    EXPECT_THAT(linesOf({{"a.diff", at::full({6, 4}, 1e-30F)}}), ElementsAre(why));
    for (const char* settings :
         {R"({"r": 2, "lora_alpha": 1e-45})", R"({"r": 2, "lora_alpha": 0, "alpha_pattern": {"a": 1e-45}})"})
        EXPECT_THAT(linesOf(matrices, 1, settings), ElementsAre(why)) << settings;
    EXPECT_THAT(linesOf(matrices, 1, R"({"r": 2, "lora_alpha": 1e-45, "alpha_pattern": {"a": -1}})"),
                IsEmpty());
}

TEST_F(IdleLoras, AreNamedWithProductsThatAreZero) {
    const std::string why =
        line("all that it would add is zero, as of one that was saved before it was trained");
    EXPECT_THAT(linesOf({{"a.lora_A.weight", m_down}, {"a.lora_B.weight", at::zeros({6, 2}, at::kBFloat16)}}),
                ElementsAre(why));
    // Each has values, and the other's zeros meet them.
    EXPECT_THAT(linesOf({{"a.lora_A.weight", at::tensor({1.0F, 0.0F}).reshape({2, 1})},
                         {"a.lora_B.weight", at::tensor({0.0F, 1.0F}).reshape({1, 2})}}),
                ElementsAre(why));
    EXPECT_THAT(linesOf({{"a.diff", at::zeros({6, 4})}}), ElementsAre(why));
    EXPECT_THAT(linesOf({{"a.diff", at::zeros({6, 4})},
                         {"b.lora_A.weight", m_down},
                         {"b.lora_B.weight", m_up},
                         {"b.alpha", at::scalar_tensor(0.0)}}),
                ElementsAre(line("of each of its layers alpha is 0 or the product of the matrices is zero")));
}

/// What became of LoRAs that were merged into a bf16 weight of ones.
class LostLoras : public IdleLoras {
  protected:
    fs::path m_base = m_file.string() + "_base.safetensors";
    void SetUp() override {
        writeSafetensors(m_base, {{"a.weight", at::ones({6, 4}, at::kBFloat16)},
                                  {"b.weight", at::ones({6, 4}, at::kBFloat16)}})
            .value();
    }
    void TearDown() override {
        fs::remove(m_base);
        IdleLoras::TearDown();
    }
    void merge(const std::vector<Lora>& loras, const std::vector<std::string>& layers) const {
        LoraWeights weights(std::make_unique<SafetensorsFolder>(m_base), loras,
                            [](const std::string& module) { return std::vector{module}; });
        for (const std::string& layer : layers) (void)weights.require(layer + ".weight", {6, 4});
    }
    void writeDifferences(double ofA, double ofB) const {
        writeSafetensors(m_file, {{"a.diff", at::full({6, 4}, ofA)}, {"b.diff", at::full({6, 4}, ofB)}})
            .value();
    }
};

TEST_F(LostLoras, AreNamedOnceAllOfThemIsMergedAndChangesNoWeight) {
    writeDifferences(1e-3, 1e-4);
    const std::vector<Lora> loras{{m_file, 1}};
    EXPECT_THAT(idleLoras(loras), IsEmpty()) << "before it is merged";
    merge(loras, {"a"});
    EXPECT_THAT(idleLoras(loras), IsEmpty()) << "b may be changed";
    merge(loras, {"b"});
    const auto named =
        ElementsAre(line("each weight is rounded to BFloat16, in which all that it adds is lost"));
    EXPECT_THAT(idleLoras(loras), named);
    const std::vector<Lora> strong{{m_file, 100}};
    merge(strong, {"a", "b"});
    EXPECT_THAT(idleLoras(strong), IsEmpty());
    // Of two networks the other one is changed, or not loaded yet.
    EXPECT_THAT(idleLoras({loras[0], strong[0]}), IsEmpty());
    EXPECT_THAT(idleLoras({loras[0], {m_file, 1}}), IsEmpty());
    EXPECT_THAT(idleLoras({loras[0], loras[0]}), named);
}

TEST_F(LostLoras, AreNoneOfThoseThatChangeOneLayer) {
    writeDifferences(1e-4, 0.1);
    const std::vector<Lora> loras{{m_file, 1}};
    merge(loras, {"a", "b"});
    EXPECT_THAT(idleLoras(loras), IsEmpty());
}

}  // namespace
}  // namespace reelgrid::weights
