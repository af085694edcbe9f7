#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/catalog/model_folder.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "tests/weights/hidden_tensors.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

/// Whether a demo model renders the same without it: one table of a text encoder by its other name, the last
/// layer of Wan's image encoder and what follows it, parts of VAEs that only encode or that diffusers makes
/// and doesn't run.
bool isIdle(std::string_view model, const std::string& tensor) {
    if (model == "wan-demo-i2v" && (tensor.starts_with("vision_model.encoder.layers.2.") ||
                                    tensor.starts_with("vision_model.post_layernorm.")))
        return true;
    return tensor == "shared.weight" || tensor == "encoder.embed_tokens.weight" ||
           tensor.starts_with("quant_conv.") || tensor.starts_with("decoder.mid_block.attentions.");
}

class MissingTensors : public testing::TestWithParam<const char*> {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) /
                        (std::string("missing_tensors_") + GetParam() + "_" + std::to_string(getpid()));

    void SetUp() override {
        fs::remove_all(m_folder);
        fs::copy(fs::path(REELGRID_SOURCE_DIR) / "resources/models" / GetParam(), m_folder,
                 fs::copy_options::recursive);
    }
    void TearDown() override { fs::remove_all(m_folder); }

    /// What a render of the model would end with or say, "" where it would say nothing.
    [[nodiscard]] std::string said() const {
        try {
            const auto model = loadModel(catalog::readModelFolder(m_folder).value(), {}, {});
            std::string lines;
            for (const std::string& line : model->oddTensors()) lines += line + "\n";
            return lines;
        } catch (const Failure& failure) {
            return failure.error().message;
        }
    }
};

TEST_P(MissingTensors, AreNamedWhicheverOfEachKindItIs) {
    // All kinds take minutes; a seventh of them, each time the same, takes seconds.
    const std::size_t stride = std::getenv("REELGRID_EVERY_KIND_OF_TENSOR") != nullptr ? 1 : 7;
    ASSERT_EQ(said(), "");
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(m_folder)) {
        if (entry.path().extension() != ".safetensors") continue;
        const weights::HiddenTensors file(entry.path());
        for (const std::string& tensor :
             weights::lastOfEachKind(weights::SafetensorsFolder(entry.path()).names())) {
            if (count++ % stride != 0 || isIdle(GetParam(), tensor)) continue;
            ASSERT_TRUE(file.hide(tensor)) << tensor;
            // Files are told from others by some, whose own kind then lacks another.
            EXPECT_THAT(said(),
                        AnyOf(HasSubstr(tensor.substr(0, tensor.size() - 1)), HasSubstr("is missing")))
                << entry.path() << ": " << tensor;
            file.show(tensor);
        }
    }
    EXPECT_GT(count, 100U);
}

INSTANTIATE_TEST_SUITE_P(OfDemoModels, MissingTensors,
                         testing::Values("cogvideox-demo", "demo-animatediff", "demo-sd35", "demo-svd",
                                         "demo-turbo", "wan-demo", "wan-demo-i2v"),
                         [](const auto& model) {
                             std::string name = model.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace reelgrid::pipeline
