#pragma once

#include <filesystem>
#include <string>

namespace reelgrid::hub {

/// Where models come from and where they are kept, by the variables that Hugging Face's own programs read.
struct HubAccess {
    std::string endpoint;         ///< without a slash at the end
    std::string token;            ///< empty: none; sent to the endpoint's host alone
    std::filesystem::path cache;  ///< holds models--owner--name
    bool offline = false;

    /// HF_ENDPOINT; HF_TOKEN, HF_TOKEN_PATH, $HF_HOME/token; HF_HUB_CACHE, $HF_HOME/hub,
    /// $XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub; HF_HUB_OFFLINE.
    static HubAccess fromEnvironment();
};

}  // namespace reelgrid::hub
