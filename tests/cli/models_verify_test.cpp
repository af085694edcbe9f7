#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/pt/pt_file.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The tiny model as the hub's programs leave one in their cache: links to blobs that are named by their
/// hash.
class ModelsVerify : public testing::Test {
  protected:
    TestFolder m_cache;
    fs::path m_repository = m_cache.path() / "models--owner--tiny";
    fs::path m_snapshot = m_repository / "snapshots" / "c0ffee";

    void SetUp() override {
        const fs::path model = REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline";
        fs::create_directories(m_repository / "blobs");
        for (const auto& entry : fs::recursive_directory_iterator(model)) {
            if (!entry.is_regular_file()) continue;
            const std::string hash = sha256OfFile(entry.path()).value();
            const fs::path place = m_snapshot / entry.path().lexically_relative(model);
            fs::create_directories(place.parent_path());
            fs::copy_file(entry.path(), m_repository / "blobs" / hash, fs::copy_options::skip_existing);
            fs::create_symlink((m_repository / "blobs" / hash).lexically_relative(place.parent_path()),
                               place);
        }
        writeFile(m_repository / "refs" / "main", "c0ffee").value();
    }
    [[nodiscard]] ProgramRun verify(std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"models", "verify", "owner/tiny"};
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, "", {{"HF_HUB_CACHE", m_cache.path().string()}});
    }
    [[nodiscard]] std::vector<std::string> faults() const {
        const ProgramRun run = verify({"--json"});
        const json document = onlyDocument(run.output);
        EXPECT_TRUE(document.is_object()) << run.errors;
        EXPECT_EQ(run.exitCode, document["faults"].empty() ? 0 : 1);
        return document["faults"];
    }
    [[nodiscard]] fs::path weightsOf(const char* component, const char* file) const {
        return fs::canonical(m_snapshot / component / file);
    }
};

TEST_F(ModelsVerify, FindsNothingInAWholeModel) {
    const json document = onlyDocument(verify({"--json"}).output);
    EXPECT_THAT(faults(), IsEmpty());
    EXPECT_EQ(document["hashes"], document["files"]);
    EXPECT_GE(document["tensors"].get<int>(), 100);
    EXPECT_THAT(verify().output, HasSubstr("owner/tiny: "));
    EXPECT_EQ(runProgram({"models", "verify", "demo"}).exitCode, 0);
}

TEST_F(ModelsVerify, FindsAChangedByte) {
    const fs::path vae = weightsOf("vae", "diffusion_pytorch_model.safetensors");
    std::fstream file(vae, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x55');
    file.close();
    EXPECT_THAT(faults(),
                ElementsAre(AllOf(HasSubstr("vae/diffusion_pytorch_model.safetensors: its hash is "),
                                  HasSubstr(", the hub's is " + vae.filename().string()))));
    const ProgramRun run = verify();
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << "one line a fault";
}

TEST_F(ModelsVerify, FindsAWeightThatIsNotFinite) {
    const fs::path folder = m_cache.path() / "damaged";
    fs::copy(REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline", folder, fs::copy_options::recursive);
    const fs::path weights = folder / "transformer/diffusion_pytorch_model.safetensors";
    std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-2, std::ios::end);
    file << "\xff\x7f";
    file.close();
    const ProgramRun run = runProgram({"models", "verify", folder.string()});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.output,
                AllOf(HasSubstr(weights.string() + ": tensor "), HasSubstr("has NaN or infinite")));
}

TEST_F(ModelsVerify, FindsAFileThatIsCutShortOrMissing) {
    const fs::path transformer = weightsOf("transformer", "diffusion_pytorch_model.safetensors");
    fs::resize_file(transformer, fs::file_size(transformer) - 100);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("is it truncated?"), HasSubstr("its hash is")));
    fs::remove(transformer);
    EXPECT_THAT(faults(), testing::Contains(AllOf(
                              HasSubstr("transformer/diffusion_pytorch_model.safetensors: is a link to "),
                              HasSubstr(", which isn't there"))));
    fs::remove_all(m_snapshot);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("not (or not whole) in the Hugging Face cache")));
}

TEST_F(ModelsVerify, ReadsTheHashesOfALocalFolder) {
    const fs::path folder = m_cache.path() / "local";
    fs::copy(REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline", folder, fs::copy_options::recursive);
    writeFile(folder / ".cache/huggingface/download/vae/config.json.metadata",
              "c0ffee\n" + std::string(64, 'a') + "\n1.0\n")
        .value();
    const json document = onlyDocument(runProgram({"models", "verify", folder.string(), "--json"}).output);
    EXPECT_EQ(document["hashes"], 1);
    EXPECT_THAT(document["faults"].get<std::vector<std::string>>(),
                ElementsAre(HasSubstr("vae/config.json: its hash is ")));
}

/// A model of another family than Wan's, whose components are files of torch.save() in place of safetensors.
class ModelsVerifyTorchFiles : public testing::Test {
  protected:
    TestFolder m_folder;

    void SetUp() override {
        const fs::path model = REELGRID_SOURCE_DIR "/resources/models/demo-animatediff";
        for (const auto& entry : fs::recursive_directory_iterator(model)) {
            if (!entry.is_regular_file()) continue;
            const fs::path place = m_folder.path() / entry.path().lexically_relative(model);
            fs::create_directories(place.parent_path());
            fs::create_symlink(entry.path(), place);
        }
        fs::remove(encoder().replace_filename("model.safetensors"));
    }
    [[nodiscard]] fs::path encoder() const { return m_folder.path() / "text_encoder/pytorch_model.bin"; }
    [[nodiscard]] std::vector<std::string> faults() const {
        const ProgramRun run = runProgram({"models", "verify", m_folder.path().string(), "--json"});
        const json document = onlyDocument(run.output);
        EXPECT_TRUE(document.is_object()) << run.errors;
        EXPECT_EQ(run.exitCode, document["faults"].empty() ? 0 : 1);
        return document["faults"];
    }
    void writeEncoder(const std::string& numbers) const {
        pt::Tensor tensor{
            .storage = std::make_shared<pt::Storage>(pt::Storage{.bytes = numbers, .owner = {}}),
            .type = pt::ElementType::F32,
            .offset = 0,
            .sizes = {static_cast<std::int64_t>(numbers.size() / sizeof(float))},
            .strides = {1}};
        pt::Dict weights;
        weights.add("a.weight", tensor);
        pt::writePt(encoder(), weights).value();
    }
};

TEST_F(ModelsVerifyTorchFiles, FindsOneThatIsNone) {
    writeFile(encoder(), "hello").value();
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("text_encoder/pytorch_model.bin: ")));
}

TEST_F(ModelsVerifyTorchFiles, FindsOneThatIsCutShort) {
    writeEncoder(std::string(400, '\0'));
    EXPECT_THAT(faults(), Each(HasSubstr("is missing"))) << "a file of one tensor";
    fs::resize_file(encoder(), fs::file_size(encoder()) - 100);
    EXPECT_THAT(faults(), Contains(HasSubstr("text_encoder/pytorch_model.bin: ")));
}

TEST_F(ModelsVerifyTorchFiles, FindsAWeightThatIsNotFinite) {
    writeEncoder(std::string(400, '\xff'));
    EXPECT_THAT(faults(), Contains(AllOf(HasSubstr("text_encoder/pytorch_model.bin: tensor \"a.weight\""),
                                         HasSubstr("has NaN or infinite values"))));
}

/// Nobody reads it.
TEST_F(ModelsVerifyTorchFiles, PassOneBesideSafetensors) {
    writeFile(encoder(), "hello").value();
    fs::create_symlink(REELGRID_SOURCE_DIR
                       "/resources/models/demo-animatediff/text_encoder/model.safetensors",
                       encoder().replace_filename("model.safetensors"));
    EXPECT_THAT(faults(), IsEmpty());
}

}  // namespace
}  // namespace reelgrid::cli
