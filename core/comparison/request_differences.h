#pragma once

#include <string>
#include <vector>

#include "core/result/manifest.h"

namespace reelgrid::comparison {

/// What renders may differ in without being told apart.
enum class Beside {
    Kernel,     ///< which backend attends, and how: type, policy, parameters
    Picture,    ///< that, and what decides the picture but no time: prompts, seed, pictures
    Shortcuts,  ///< the kernel, and what is left out or rounded: step cache, linear layers
    Content     ///< all of that
};

/// In what clips' requests, as they ran, differ beside that, each once, most important first: "model",
/// "prompt", "seed", "size", "steps". Clips whose manifest has no settings are left out.
std::vector<std::string> requestDifferences(const std::vector<const result::Manifest*>& manifests,
                                            Beside beside);

/// The same of two renders whose denoising times are put into a ratio. Where one of them alone says what it
/// did, that is the difference: "what is known of them".
std::vector<std::string> workDifferences(const result::Manifest& one, const result::Manifest& other);

/// The same of two renders whose pictures are compared: prompt, seed and picture, too.
std::vector<std::string> contentDifferences(const result::Manifest& one, const result::Manifest& other);

/// "prompt, seed and steps"
std::string listed(const std::vector<std::string>& words);

}  // namespace reelgrid::comparison
