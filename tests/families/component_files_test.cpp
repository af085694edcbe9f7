#include "core/families/component_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>

#include "core/base/pending_file.h"

namespace reelgrid::families {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ComponentFiles : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("component_files_" + std::to_string(getpid()));
    void SetUp() override {
        for (const char* name : {"config.json", "notes.bin", "notes.pth", "README.md", ".hidden.json"})
            write(name);
    }
    void TearDown() override { fs::remove_all(m_folder); }

    void write(const std::string& name, const std::string& text = "{}") const {
        ASSERT_TRUE(writeFile(m_folder / name, text));
    }
    [[nodiscard]] std::vector<std::string> read() const {
        std::vector<std::string> names;
        for (const fs::path& file : readFilesIn(m_folder)) names.push_back(file.filename().string());
        return names;
    }
};

TEST_F(ComponentFiles, AreNoNotesOrHiddenFiles) {
    EXPECT_THAT(read(), ElementsAre("config.json"));
    for (const char* name : {"merges.txt", "spiece.model", "vocab.json"}) write(name);
    EXPECT_THAT(read(), ElementsAre("config.json", "merges.txt", "spiece.model", "vocab.json"));
    EXPECT_THAT(readFilesIn(m_folder / "none"), IsEmpty());
}

TEST_F(ComponentFiles, AreTheWeightsThatAreLoadedAlone) {
    write("pytorch_model.bin");
    EXPECT_THAT(read(), ElementsAre("config.json", "pytorch_model.bin"));
    write("diffusion_pytorch_model.bin");
    EXPECT_THAT(read(), ElementsAre("config.json", "diffusion_pytorch_model.bin"));
    write("model.fp16.safetensors");
    EXPECT_THAT(read(), ElementsAre("config.json", "model.fp16.safetensors"));
    write("model.safetensors");
    EXPECT_THAT(read(), ElementsAre("config.json", "model.safetensors"));
    write("Wan2.1_VAE.pth");
    EXPECT_THAT(read(), ElementsAre("Wan2.1_VAE.pth", "config.json", "model.safetensors"));
}

TEST_F(ComponentFiles, AreTheShardsOfTheirIndex) {
    const std::string index = "diffusion_pytorch_model.safetensors.index.json";
    for (const char* name : {"a.safetensors", "b.safetensors", "c.safetensors"}) write(name);
    write(index, R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors", "z": "b.safetensors"}})");
    EXPECT_THAT(read(), ElementsAre("a.safetensors", "b.safetensors", "config.json", index));
    write(index, R"({"weight_map": {"x": "../b.safetensors"}})");
    EXPECT_THAT(read(), ElementsAre("a.safetensors", "b.safetensors", "c.safetensors", "config.json", index))
        << "a damaged one is the loader's to refuse";
}

}  // namespace
}  // namespace reelgrid::families
