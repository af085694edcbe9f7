#include "core/families/animatediff/single_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "core/safetensors/header.h"

namespace reelgrid::families::animatediff {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kUnetInput = "model.diffusion_model.input_blocks.0.0.weight";
constexpr const char* kCrossKeys =
    "model.diffusion_model.input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight";
constexpr std::int64_t kTextChannels = 768;  // SD 2's are 1024, SDXL's 2048

std::vector<fs::path> tokenizerRoots(const fs::path& file) {
    const fs::path own = fs::absolute(file).lexically_normal().parent_path();
    std::vector<fs::path> roots{own, own.parent_path(), own.parent_path().parent_path()};
    if (const char* further = std::getenv("REELGRID_MODEL_PARTS")) {
        std::istringstream list(further);
        for (std::string folder; std::getline(list, folder, ':');)
            if (!folder.empty()) roots.push_back(fs::absolute(folder).lexically_normal());
    }
    return roots;
}

Result<fs::path> clipTokenizerOf(const fs::path& file) {
    std::string places;
    std::error_code failed;
    for (const fs::path& root : tokenizerRoots(file)) {
        for (const char* name : {"tokenizer", "openai/clip-vit-large-patch14", "clip-vit-large-patch14"})
            for (const char* vocabulary : {"vocab.json", "tokenizer.json"})
                if (fs::exists(root / name / vocabulary, failed)) return root / name;
        places += (places.empty() ? "" : ", ") + root.string();
    }
    return Error{ErrorCode::NotFound,
                 "model " + file.string() +
                     ": no CLIP tokenizer (tokenizer/ or openai/clip-vit-large-patch14/, with vocab.json or "
                     "tokenizer.json) was found in " +
                     places + "; REELGRID_MODEL_PARTS names further folders"};
}

/// What diffusers' folder of Stable Diffusion 1.5 says.
std::map<std::string, json> stableDiffusion15() {
    const json channels = {320, 640, 1280, 1280};
    return {
        {"unet",
         {{"_class_name", "UNet2DConditionModel"},
          {"sample_size", 64},
          {"block_out_channels", channels},
          {"attention_head_dim", 8},
          {"cross_attention_dim", kTextChannels},
          {"layers_per_block", 2}}},
        {"text_encoder",
         {{"model_type", "clip_text_model"},
          {"hidden_size", kTextChannels},
          {"intermediate_size", 3072},
          {"num_attention_heads", 12},
          {"num_hidden_layers", 12},
          {"projection_dim", 768},
          {"eos_token_id", 2},
          {"vocab_size", 49408}}},
        {"vae",
         {{"_class_name", "AutoencoderKL"},
          {"block_out_channels", {128, 256, 512, 512}},
          {"layers_per_block", 2},
          {"sample_size", 512}}},
        {"scheduler",
         {{"_class_name", "PNDMScheduler"},
          {"beta_start", 0.00085},
          {"beta_end", 0.012},
          {"beta_schedule", "scaled_linear"},
          {"set_alpha_to_one", false},
          {"skip_prk_steps", true},
          {"steps_offset", 1}}},
    };
}

}  // namespace

bool isStableDiffusionFile(const fs::path& file) {
    if (file.extension() != ".safetensors") return false;
    const auto tensors = safetensors::readHeaderOf(file);
    if (!tensors) return false;
    const auto input = tensors->find(kUnetInput), keys = tensors->find(kCrossKeys);
    return input != tensors->end() && keys != tensors->end() && keys->second.shape.size() == 2 &&
           keys->second.shape[1] == kTextChannels;
}

Result<ModelLayout> readStableDiffusionFile(const ModelSource& source) {
    const fs::path& file = source.base;
    auto tokenizer = clipTokenizerOf(file);
    if (!tokenizer) return tokenizer.error();
    ModelLayout layout;
    layout.index = {
        {"_class_name", "StableDiffusionPipeline"},          {"unet", {"diffusers", "UNet2DConditionModel"}},
        {"text_encoder", {"transformers", "CLIPTextModel"}}, {"vae", {"diffusers", "AutoencoderKL"}},
        {"tokenizer", {"transformers", "CLIPTokenizer"}},    {"scheduler", {"diffusers", "PNDMScheduler"}}};
    layout.configs = stableDiffusion15();
    layout.paths = {{"unet", file}, {"text_encoder", file}, {"vae", file}, {"tokenizer", *tokenizer}};
    return layout;
}

}  // namespace reelgrid::families::animatediff
