#include "core/hub/needed_files.h"

#include <gmock/gmock.h>

namespace reelgrid::hub {
namespace {

std::vector<std::string> needed(const std::vector<std::string>& all) {
    std::vector<RemoteFile> files;
    for (const std::string& path : all) files.push_back({.path = path});
    std::vector<std::string> paths;
    for (const RemoteFile& file : neededFiles(files, {"transformer", "tokenizer"}))
        paths.push_back(file.path);
    return paths;
}

TEST(NeededFiles, AreConfigsTokenizersAndOneFormOfTheWeights) {
    EXPECT_THAT(
        needed({"model_index.json", "README.md", "assets/a.png", "transformer/config.json",
                "transformer/diffusion_pytorch_model.safetensors",
                "transformer/diffusion_pytorch_model.fp16.safetensors",
                "transformer/diffusion_pytorch_model.bin", "tokenizer/spiece.model", "vae/config.json"}),
        testing::ElementsAre("transformer/config.json", "transformer/diffusion_pytorch_model.safetensors",
                             "tokenizer/spiece.model", "model_index.json"));
}

TEST(NeededFiles, AreShardsInPlaceOfTheWhole) {
    EXPECT_THAT(needed({"transformer/diffusion_pytorch_model.safetensors",
                        "transformer/diffusion_pytorch_model-00001-of-00001.safetensors",
                        "transformer/diffusion_pytorch_model.safetensors.index.json"}),
                testing::ElementsAre("transformer/diffusion_pytorch_model-00001-of-00001.safetensors",
                                     "transformer/diffusion_pytorch_model.safetensors.index.json"));
}

}  // namespace
}  // namespace reelgrid::hub
