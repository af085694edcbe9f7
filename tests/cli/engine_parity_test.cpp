#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/cli/program.h"
#include "tests/models/wan/variant_model.h"

// What diffusers is given beside ours, held to the latents that it makes of it.

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kTinyWan = std::string(REELGRID_SOURCE_DIR) + "/tests/fixtures/wan/tiny-pipeline";
const std::string kPicture = (models::wan::kVariants / "first.png").string();
const std::vector<std::string> kSmallClip{
    "--width", "64",       "--height", "64",      "--num-frames", "5",     "--num-inference-steps",
    "3",       "--device", "cpu",      "--dtype", "fp32",         "--json"};

/// How far diffusers' latents are from ours; nullopt where no Python has it.
std::optional<double> latentErrorOf(const std::string& model, std::vector<std::string> more = {}) {
    const TestFolder folder;
    more.insert(more.end(), kSmallClip.begin(), kSmallClip.end());
    std::vector<std::string> words{"compare",         "--model",   model,      "--types",   "sdpa",
                                   "--with-engine",   "diffusers", "--prompt", "a red car", "--output-dir",
                                   folder.file("out")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = runProgram(words);
    if (run.exitCode == 2 && run.errors.find("a Python with diffusers was needed") != std::string::npos)
        return std::nullopt;
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    if (run.exitCode != 0) return 1;
    const json document = onlyDocument(run.output);
    return document["results"].at(1)["metrics"]["drift"]["latent_error"].get<double>();
}

/// A copy of the tiny model whose matrices are scaled FP8 with scales of every form that is read.
void writeScaledFp8(const fs::path& model) {
    fs::copy(kTinyWan, model, fs::copy_options::recursive);
    const fs::path file = model / "transformer/diffusion_pytorch_model.safetensors";
    std::map<std::string, at::Tensor> tensors;
    {
        weights::SafetensorsFolder stored(file);
        for (const std::string& name : stored.names())
            tensors[name] = stored.require(name, *stored.shapeOf(name)).clone();
    }
    int form = 0;
    for (const auto& [name, tensor] : std::map(tensors)) {
        if (tensor.dim() != 2 || !name.ends_with(".weight")) continue;
        const bool isOfRows = form % 4 >= 2;
        at::Tensor scale = (isOfRows ? tensor.abs().amax(1, true) : tensor.abs().max()) / 448;
        tensors[name] = (tensor / scale).to(at::kFloat8_e4m3fn);
        if (form % 4 == 1) scale = scale.reshape({1});
        if (form % 4 == 2) scale = scale.flatten();
        const std::string layer = name.substr(0, name.size() - std::string("weight").size());
        tensors[layer + (form / 4 % 2 == 0 ? "weight_scale" : "scale_weight")] = scale.contiguous();
        ++form;
    }
    EXPECT_GE(form, 8);
    weights::writeSafetensors(file, tensors).value();
}

TEST(EngineParity, DiffusersHasTheFirstFrameAndTheScalesOfFp8) {
    const models::wan::VariantModel model("ti2v");
    const auto fromPicture = latentErrorOf(
        model.folder().string(), {"--task", "i2v", "--img-file-path", kPicture, "--picture-fit", "stretch"});
    if (!fromPicture) GTEST_SKIP() << "no Python with diffusers";
    EXPECT_LT(*fromPicture, 1e-4);
    const TestFolder folder;
    writeScaledFp8(folder.path() / "fp8");
    EXPECT_LT(latentErrorOf(folder.file("fp8")).value_or(1), 1e-4);
}

}  // namespace
}  // namespace reelgrid::cli
