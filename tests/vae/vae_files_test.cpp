#include "core/vae/vae_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::vae {
namespace {

namespace fs = std::filesystem;

class VaeFolder : public testing::TestWithParam<const char*> {
  protected:
    fs::path m_original = fs::path(REELGRID_SOURCE_DIR) / GetParam();
    fs::path m_folder = fs::path(testing::TempDir()) / ("vae_files_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
};

TEST_P(VaeFolder, MayHaveTorchsFileAlone) {
    weights::SafetensorsFolder stored(m_original);
    pt::Dict tensors;
    for (const std::string& name : stored.names())
        tensors.add(name, weights::ptTensorOf(stored.require(name, stored.shapeOf(name).value())));
    const fs::path file = m_folder / "diffusion_pytorch_model.bin";
    ASSERT_TRUE(pt::writePt(file, tensors));
    fs::copy_file(m_original / "config.json", m_folder / "config.json");
    const VaeFiles files = openVae(m_folder);
    EXPECT_EQ(files.bytes, fs::file_size(file));
    const auto vae = files.load({}, VaeParts::Both);
    EXPECT_EQ(vae->shape().zDim, openVae(m_original).describe({}, VaeParts::Both)->shape().zDim);
}

INSTANTIATE_TEST_SUITE_P(Families, VaeFolder,
                         testing::Values("tests/fixtures/cogvideox/shared/vae",
                                         "tests/fixtures/sd35/shared/vae",
                                         "tests/fixtures/wan/tiny-pipeline/vae",
                                         "resources/models/demo-svd/vae"));

}  // namespace
}  // namespace reelgrid::vae
