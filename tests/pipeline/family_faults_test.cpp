#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "core/catalog/model_folder.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kModels = fs::path(REELGRID_SOURCE_DIR) / "resources/models";

/// A component of a demo model, and one of its parameters.
struct Part {
    std::string model, component, tensor;
};

class FamilyFaults : public testing::TestWithParam<Part> {
  protected:
    fs::path m_folder =
        fs::path(testing::TempDir()) / ("family_faults_" + GetParam().model + "_" + std::to_string(getpid()));
    std::map<std::string, at::Tensor> m_tensors;

    /// The model, but for one component whose weights are written anew.
    void SetUp() override {
        fs::remove_all(m_folder);
        fs::create_directories(m_folder / GetParam().component);
        for (const auto& entry : fs::directory_iterator(kModels / GetParam().model))
            if (const fs::path name = entry.path().filename(); name != GetParam().component)
                fs::create_symlink(entry.path(), m_folder / name);
        const fs::path original = kModels / GetParam().model / GetParam().component;
        fs::copy_file(original / "config.json", m_folder / GetParam().component / "config.json");
        weights::SafetensorsFolder stored(original);
        for (const std::string& name : stored.names())
            m_tensors[name] = stored.require(name, stored.shapeOf(name).value()).clone();
    }
    void TearDown() override { fs::remove_all(m_folder); }

    std::vector<std::string> faults() {
        weights::writeSafetensors(m_folder / GetParam().component / "model.safetensors", m_tensors).value();
        const auto found = findFaults(catalog::readModelFolder(m_folder).value());
        EXPECT_GT(found.tensors, m_tensors.size());
        return found.faults;
    }
};

TEST_P(FamilyFaults, AreWhatIsMissingOfAnotherShapeOrOfWholeNumbers) {
    const std::string& name = GetParam().tensor;
    const auto each = [&](const char* words) {
        return AllOf(Not(IsEmpty()), Each(AllOf(HasSubstr(name), HasSubstr(words))));
    };
    EXPECT_THAT(faults(), IsEmpty());
    m_tensors.at(name) = m_tensors.at(name).to(at::kLong);
    EXPECT_THAT(faults(), each("has dtype Long, a floating-point one was needed"));
    m_tensors.at(name) = at::zeros({3, 5});
    EXPECT_THAT(faults(), each("has shape [3, 5], the config needs"));
    m_tensors.erase(name);
    EXPECT_THAT(faults(), each("is missing"));
}

INSTANTIATE_TEST_SUITE_P(
    OfDemoModels, FamilyFaults,
    testing::Values(Part{"cogvideox-demo", "vae", "decoder.conv_in.conv.weight"},
                    Part{"demo-animatediff", "motion_adapter",
                         "down_blocks.0.motion_modules.0.transformer_blocks.0.ff.net.2.bias"},
                    Part{"demo-sd35", "temporal_module", "temporal_blocks.0.norm.bias"},
                    Part{"demo-svd", "image_encoder", "vision_model.encoder.layers.0.mlp.fc1.bias"}),
    [](const auto& part) {
        return std::string(part.param.model.substr(part.param.model.find("demo-") == 0 ? 5 : 0, 4));
    });

}  // namespace
}  // namespace reelgrid::pipeline
