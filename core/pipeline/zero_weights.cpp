#include "core/pipeline/zero_weights.h"

#include <filesystem>
#include <set>

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/safetensors/zero_tensors.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

std::string lineOf(const fs::path& file, const std::vector<std::string>& tensors) {
    const bool isOne = tensors.size() == 1;
    return file.string() + ": " + std::to_string(tensors.size()) +
           (isOne ? " tensor holds" : " tensors hold") + " zeros alone (" + nameInOneLine(tensors.front()) +
           (isOne ? ")" : ", …)") + ", as in a download that wasn't finished";
}

}  // namespace

std::vector<std::string> zeroWeights(const families::ModelInfo& model) {
    // Every file once, whichever components share it.
    std::set<fs::path> files;
    for (const families::ComponentInfo& component : model.components)
        for (const fs::path& file : component.files)
            if (file.extension() == ".safetensors") files.insert(file);
    std::vector<std::string> lines;
    for (const fs::path& file : files) {
        try {
            const auto tensors = safetensors::zeroMatricesIn(file);
            if (!tensors.empty()) lines.push_back(lineOf(file, tensors));
        } catch (const Failure&) {
            continue;
        }
    }
    return lines;
}

}  // namespace reelgrid::pipeline
