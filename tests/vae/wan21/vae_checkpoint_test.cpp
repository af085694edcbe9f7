#include "core/vae/wan21/vae_checkpoint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/pt/pt_file.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/safetensors_writer.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::vae::wan21 {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class VaeCheckpointTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("vae_checkpoint_" + std::to_string(getpid()));
    std::map<std::string, at::Tensor> m_tensors = readTensors("two_blocks.safetensors");
    at::Tensor m_z = at::linspace(-1, 1, 4 * 2 * 3 * 3).reshape({1, 4, 2, 3, 3});

    void SetUp() override {
        fs::create_directories(m_folder / "vae");
        fs::copy_file(fixtureFolder() / "two_blocks.json", m_folder / "vae" / "config.json");
    }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] std::map<std::string, at::Tensor> originals() const {
        std::map<std::string, at::Tensor> originals;
        for (const auto& [name, tensor] : m_tensors)
            originals[originalName(name, fixtureConfig("two_blocks"))] = tensor;
        return originals;
    }

    /// What the checkpoint's model makes of the latents, against the fixture's.
    void expectSameModel(const fs::path& path) {
        const VaeCheckpoint checkpoint = openCheckpoint(path);
        EXPECT_GT(checkpoint.bytes, 100000U);
        const WanVae vae(weights::WeightScope(*checkpoint.weights, at::kFloat), checkpoint.config);
        EXPECT_TRUE(at::equal(decodeClips(vae, m_z), decodeClips(fixtureVae("two_blocks"), m_z)));
    }
};

TEST_F(VaeCheckpointTest, IsAFolderOfItsOwnOrOfAWholeModel) {
    weights::writeSafetensors(m_folder / "vae" / "diffusion_pytorch_model.safetensors", m_tensors).value();
    expectSameModel(m_folder / "vae");
    expectSameModel(m_folder);
}

TEST_F(VaeCheckpointTest, IsOneFileWithEitherNames) {
    const fs::path file = m_folder / "vae" / "any.safetensors";
    weights::writeSafetensors(file, m_tensors).value();
    expectSameModel(file);
    ASSERT_EQ(originals().size(), m_tensors.size());
    weights::writeSafetensors(file, originals()).value();
    expectSameModel(file);
}

TEST_F(VaeCheckpointTest, IsAFileOfTorchSaveWithEitherNames) {
    for (const auto& tensors : {m_tensors, originals()}) {
        pt::Dict dict;
        for (const auto& [name, tensor] : tensors) dict.add(name, weights::ptTensorOf(tensor));
        pt::writePt(m_folder / "vae" / "any.pth", dict).value();
        expectSameModel(m_folder / "vae" / "any.pth");
    }
}

TEST_F(VaeCheckpointTest, IsInTheFolderOfWansAuthorsWhoseConfigIsTheTransformers) {
    pt::Dict dict;
    for (const auto& [name, tensor] : originals()) dict.add(name, weights::ptTensorOf(tensor));
    pt::writePt(m_folder / "Wan2.1_VAE.pth", dict).value();
    writeFile(m_folder / "config.json", R"({"_class_name": "WanModel", "dim": 1536})").value();
    const VaeCheckpoint checkpoint = openCheckpoint(m_folder);
    EXPECT_EQ(checkpoint.path, m_folder / "Wan2.1_VAE.pth");
    EXPECT_EQ(checkpoint.config.baseDim, 96);
    EXPECT_TRUE(checkpoint.weights->has("decoder.conv_in.weight"));
}

TEST_F(VaeCheckpointTest, WithoutAConfigIsWan21) {
    const fs::path file = m_folder / "alone.safetensors";
    weights::writeSafetensors(file, m_tensors).value();
    EXPECT_EQ(openCheckpoint(file).config.baseDim, 96);
    EXPECT_EQ(openCheckpoint(file).config.latentsStd.size(), 16U);
}

TEST_F(VaeCheckpointTest, SaysWhatIsMissing) {
    const auto messageOf = [](const fs::path& path) {
        try {
            openCheckpoint(path);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return std::string("nothing was thrown");
    };
    EXPECT_THAT(messageOf(m_folder / "nowhere"), HasSubstr("nowhere: no such file or folder"));
    EXPECT_THAT(messageOf(m_folder / "vae" / "config.json"),
                HasSubstr("a .safetensors or a .pth file was needed"));
    EXPECT_THAT(messageOf(m_folder), HasSubstr("diffusion_pytorch_model.safetensors"));
    for (const char* name : {"vae.pth", "Wan2.1_VAE.pth"}) fs::create_symlink("gone", m_folder / name);
    EXPECT_THAT(messageOf(m_folder / "vae.pth"), HasSubstr("vae.pth: is a link to gone, which isn't there"));
    EXPECT_THAT(messageOf(m_folder), HasSubstr("Wan2.1_VAE.pth: is a link to gone, which isn't there"));
    const fs::path file = m_folder / "vae" / "none.pth";
    pt::writePt(file, pt::Dict{}).value();
    EXPECT_THAT(messageOf(file), HasSubstr("none.pth: holds no named tensors"));
}

}  // namespace
}  // namespace reelgrid::vae::wan21
