#include "core/vae/wan21/vae_checkpoint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/vae/wan21/original_names.h"
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

    /// What the checkpoint's model makes of the latents, against the fixture's.
    void expectSameModel(const fs::path& path) {
        const VaeCheckpoint checkpoint = openCheckpoint(path);
        EXPECT_GT(checkpoint.bytes, 100000U);
        const WanVae vae(weights::WeightScope(*checkpoint.weights, at::kFloat), checkpoint.config);
        EXPECT_TRUE(at::equal(vae.decode(m_z), fixtureVae("two_blocks").decode(m_z)));
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
    std::map<std::string, at::Tensor> originals;
    for (const auto& [name, tensor] : m_tensors)
        originals[originalName(name, fixtureConfig("two_blocks"))] = tensor;
    ASSERT_EQ(originals.size(), m_tensors.size());
    weights::writeSafetensors(file, originals).value();
    expectSameModel(file);
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
    EXPECT_THAT(messageOf(m_folder / "vae" / "config.json"), HasSubstr(".safetensors file was needed"));
    EXPECT_THAT(messageOf(m_folder), HasSubstr("diffusion_pytorch_model.safetensors"));
}

}  // namespace
}  // namespace reelgrid::vae::wan21
