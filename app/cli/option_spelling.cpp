#include "app/cli/option_spelling.h"

#include <algorithm>
#include <array>
#include <utility>

namespace reelgrid::cli {
namespace {

constexpr std::array kRenamed{
    std::pair{"--model-path", "--model"},
    std::pair{"--compile", "--use-torch-compile"},
    std::pair{"-metric", "--metric"},
    std::pair{"-causal", "--causal"},
    std::pair{"-no-k-smooth", "--no-k-smooth"},
    std::pair{"-no_k_smooth", "--no-k-smooth"},
    std::pair{"--steps", "--num-inference-steps"},
    // TurboDiffusion's
    std::pair{"--num-steps", "--num-inference-steps"},
    std::pair{"--save-path", "--output"},
    std::pair{"--image-path", "--img-file-path"},
    std::pair{"--vae-path", "--vae"},
    std::pair{"--text-encoder-path", "--text-encoder"},
    std::pair{"--high-noise-model-path", "--dit-path"},
    std::pair{"--low-noise-model-path", "--transformer-2"},
};

std::string currentSpelling(std::string name) {
    if (name.starts_with("--")) std::replace(name.begin(), name.end(), '_', '-');
    for (const auto& [old, current] : kRenamed)
        if (name == old) return current;
    return name;
}

}  // namespace

std::vector<std::string> withCurrentSpelling(std::vector<std::string> arguments) {
    for (std::string& argument : arguments) {
        if (argument == "--") break;
        if (!argument.starts_with('-')) continue;
        const auto equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        argument = currentSpelling(name) + (equals == std::string::npos ? "" : argument.substr(equals));
    }
    return arguments;
}

}  // namespace reelgrid::cli
