#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/catalog/model_folder.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/zero_weights.h"
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

class UnreadProjection : public FamilyFaults {};

/// AnimateDiff's prompts are CLIP's rows; a text encoder of another pipeline may be in its place.
TEST_P(UnreadProjection, MayBeOfAnyShape) {
    m_tensors["text_projection.weight"] = at::zeros({3, 5});
    EXPECT_THAT(faults(), IsEmpty());
    const auto loaded = loadModel(catalog::readModelFolder(m_folder).value(), {}, {});
    EXPECT_THAT(loaded->oddTensors(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(OfAnimateDiff, UnreadProjection,
                         testing::Values(Part{"demo-animatediff", "text_encoder", ""}));

class ZeroedTensors : public FamilyFaults {};

/// As in a file that has its size, and whose download was stopped.
TEST_P(ZeroedTensors, AreNamedAndRendered) {
    EXPECT_THAT(zeroWeights(catalog::readModelFolder(m_folder).value()), IsEmpty());
    m_tensors.at(GetParam().tensor).zero_();
    EXPECT_THAT(faults(), IsEmpty());
    const auto line = testing::ElementsAre(AllOf(
        HasSubstr("/" + GetParam().component + "/model.safetensors: 1 tensor holds zeros alone or in part"),
        HasSubstr(GetParam().tensor)));
    EXPECT_THAT(zeroWeights(catalog::readModelFolder(m_folder).value()), line);
    EXPECT_THAT(loadModel(catalog::readModelFolder(m_folder).value(), {}, {})->oddTensors(), line);
}

INSTANTIATE_TEST_SUITE_P(OfWan, ZeroedTensors,
                         testing::Values(Part{"wan-demo", "transformer", "blocks.3.attn2.to_q.weight"}));

class StrayTensors : public FamilyFaults {
  protected:
    std::vector<std::string> strays() {
        EXPECT_THAT(faults(), testing::SizeIs(m_strays));
        return untakenTensors(catalog::readModelFolder(m_folder).value());
    }
    std::size_t m_strays = 0;
};

TEST_P(StrayTensors, AreNamedInEveryFamilysWords) {
    EXPECT_THAT(strays(), IsEmpty());
    m_tensors["extra.bias"] = m_tensors["extra.weight"] = at::ones({2});
    m_strays = 2;
    const auto line = testing::ElementsAre(
        HasSubstr("/" + GetParam().component +
                  ": 2 tensors belong to no layer of this model and had no effect (extra.bias, …)"));
    EXPECT_THAT(strays(), line);
    EXPECT_THAT(faults(), Each(HasSubstr("belongs to no layer of this model")));
    EXPECT_THAT(loadModel(catalog::readModelFolder(m_folder).value(), {}, {})->oddTensors(), line);
}

TEST_P(StrayTensors, AreNoneOfThoseThatPublishedCheckpointsHave) {
    m_tensors["model_ema.decay"] = at::scalar_tensor(0.9999);
    m_tensors["model_ema.num_updates"] = at::scalar_tensor(5, at::kInt);
    m_tensors["text_model.embeddings.position_ids"] = at::arange(77).unsqueeze(0);
    m_tensors["blocks.0.attn.norm_added_q.weight"] = at::ones({2});
    EXPECT_THAT(strays(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    OfNetworksAndVaes, StrayTensors,
    testing::Values(Part{"cogvideox-demo", "transformer", ""}, Part{"cogvideox-demo", "vae", ""},
                    Part{"demo-animatediff", "unet", ""}, Part{"demo-animatediff", "motion_adapter", ""},
                    Part{"demo-animatediff", "vae", ""}, Part{"demo-sd35", "transformer", ""},
                    Part{"demo-sd35", "vae", ""}, Part{"demo-sd35", "temporal_module", ""},
                    Part{"demo-svd", "unet", ""}, Part{"demo-svd", "vae", ""},
                    Part{"wan-demo", "transformer", ""}, Part{"wan-demo", "vae", ""}),
    [](const auto& part) {
        std::string name = part.param.model + "_" + part.param.component;
        std::ranges::replace(name, '-', '_');
        return name;
    });

}  // namespace
}  // namespace reelgrid::pipeline
