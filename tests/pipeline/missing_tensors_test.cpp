#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/catalog/model_folder.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

/// A file of weights whose tensors can be taken away: by another name of the same length in its header.
class WeightsFile {
  public:
    explicit WeightsFile(fs::path file) : m_file(std::move(file)) {
        std::ifstream in(m_file, std::ios::binary);
        std::uint64_t length = 0;
        in.read(reinterpret_cast<char*>(&length), sizeof length);
        m_header.resize(length);
        in.read(m_header.data(), static_cast<std::streamsize>(length));
    }
    [[nodiscard]] bool takeAway(const std::string& tensor) const { return writeLastCharacter(tensor, '~'); }
    void putBack(const std::string& tensor) const { (void)writeLastCharacter(tensor, tensor.back()); }

  private:
    bool writeLastCharacter(const std::string& tensor, char character) const {
        const auto at = m_header.find("\"" + tensor + "\":");
        if (at == m_header.npos) return false;
        std::fstream out(m_file, std::ios::binary | std::ios::in | std::ios::out);
        out.seekp(static_cast<std::streamoff>(sizeof(std::uint64_t) + at + tensor.size()));
        return static_cast<bool>(out.put(character).flush());
    }

    fs::path m_file;
    std::string m_header;
};

/// Names that differ in numbers alone are one kind; of each kind the last tensor, for which most is loaded.
std::map<std::string, std::string> lastOfEachKind(const std::vector<std::string>& tensors) {
    std::map<std::string, std::string> last;
    for (const std::string& tensor : tensors) {
        std::string kind = tensor;
        std::ranges::replace_if(
            kind, [](unsigned char c) { return std::isdigit(c) != 0; }, '#');
        last[kind] = tensor;
    }
    return last;
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
            std::string lines;
            for (const std::string& line :
                 loadModel(catalog::readModelFolder(m_folder).value(), {}, {})->untaken())
                lines += line + "\n";
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
        const WeightsFile file(entry.path());
        for (const auto& [kind, tensor] : lastOfEachKind(weights::SafetensorsFolder(entry.path()).names())) {
            if (count++ % stride != 0) continue;
            ASSERT_TRUE(file.takeAway(tensor)) << tensor;
            EXPECT_THAT(said(), testing::HasSubstr(tensor.substr(0, tensor.size() - 1)))
                << entry.path() << ": " << tensor;
            file.putBack(tensor);
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
