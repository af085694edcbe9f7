#include "core/pipeline/zero_weights.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "core/base/result.h"
#include "core/protocol/lora_choice.h"
#include "core/safetensors/zero_tensors.h"
#include "core/weights/tensor_remark.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

/// The second of a LoRA's two matrices, by peft's, kohya's and diffusers' old names, and what is added whole.
bool beginsAsZeros(const std::string& tensor) {
    constexpr std::array kMarks{"lora_B", "lora_up", "lora.up", "_lora_b", ".diff"};
    return std::ranges::any_of(kMarks, [&](const char* mark) { return tensor.find(mark) != tensor.npos; });
}

}  // namespace

std::vector<std::string> zeroWeights(const families::ModelInfo& model,
                                     const std::vector<std::string>& loras) {
    // Every file once, whichever components share it.
    std::set<fs::path> files, ofLoras;
    for (const families::ComponentInfo& component : model.components)
        for (const fs::path& file : component.files)
            if (file.extension() == ".safetensors") files.insert(file);
    for (const std::string& lora : loras)
        if (const auto choice = protocol::LoraChoice::from(lora)) ofLoras.insert(choice->file);
    std::vector<std::string> lines;
    const auto look = [&](const fs::path& file, const auto& mayBeZero) {
        try {
            auto tensors = safetensors::zeroedMatricesIn(file);
            std::erase_if(tensors, mayBeZero);
            if (!tensors.empty())
                lines.push_back(weights::tensorRemark(file, tensors, {"holds", "hold"},
                                                      "zeros alone or in part, as in a download that wasn't "
                                                      "finished"));
        } catch (const Failure&) {
        }
    };
    for (const fs::path& file : files) look(file, [](const std::string&) { return false; });
    for (const fs::path& file : ofLoras) look(file, beginsAsZeros);
    return lines;
}

}  // namespace reelgrid::pipeline
