#include "core/weights/lora.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/models/cogvideox/transformer.h"
#include "core/weights/lora_names.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::cogvideox {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/cogvideox/5b/transformer";

class CogVideoXLora : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    /// The velocity of a model with a LoRA of one layer's to_q, whose tensors are called so.
    at::Tensor velocityWith(const std::string& module, const std::string& down, const std::string& up) {
        const at::Tensor a = at::ones({1, 32}), b = at::ones({32, 1});
        weights::writeSafetensors(m_file, {{module + down, a}, {module + up, b}}).value();
        weights::LoraWeights source(std::make_unique<weights::SafetensorsFolder>(kFolder), {{m_file, 1}},
                                    weights::transformerLoraNames);
        return velocityOf(source);
    }
    static at::Tensor velocityOf(weights::WeightSource& source) {
        CogVideoXTransformer model(CogVideoXTransformerConfig::from(weights::ModelConfig::read(kFolder)),
                                   weights::WeightScope(source, at::kFloat));
        if (auto* lora = dynamic_cast<weights::LoraWeights*>(&source)) lora->requireAllTaken();
        wan::SdpaDispatcher dispatcher;
        const at::Tensor text = model.prepareText(at::ones({1, 20, 32}));
        return model.forward(at::linspace(-1, 1, 96).view({1, 4, 1, 4, 6}), model.embedTimestep(500), text,
                             dispatcher);
    }
    fs::path m_folder = fs::path(testing::TempDir()) / ("cogvideox_lora_" + std::to_string(getpid()));
    fs::path m_file = m_folder / "adapter_model.safetensors";
};

TEST_F(CogVideoXLora, IsTakenByEveryNameThatItsToolsGive) {
    weights::SafetensorsFolder plain(kFolder);
    const at::Tensor without = velocityOf(plain);
    const at::Tensor diffusers =
        velocityWith("transformer.transformer_blocks.1.attn1.to_q", ".lora_A.weight", ".lora_B.weight");
    EXPECT_GT((diffusers - without).abs().max().item<double>(), 1e-3);
    writeFile(m_folder / "adapter_config.json", R"({"r": 1, "lora_alpha": 1})").value();
    EXPECT_TRUE(at::equal(diffusers, velocityWith("base_model.model.transformer_blocks.1.attn1.to_q",
                                                  ".lora_A.default.weight", ".lora_B.default.weight")));
    EXPECT_TRUE(at::equal(
        diffusers, velocityWith("transformer_blocks.1.attn1.to_q", ".lora_A.weight", ".lora_B.weight")));
    EXPECT_TRUE(at::equal(diffusers, velocityWith("lora_transformer_transformer_blocks_1_attn1_to_q",
                                                  ".lora_down.weight", ".lora_up.weight")));
    EXPECT_TRUE(at::equal(diffusers, velocityWith("lora_unet__transformer_blocks_1_attn1_to_q",
                                                  ".lora_down.weight", ".lora_up.weight")));
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
