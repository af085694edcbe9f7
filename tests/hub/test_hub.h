#pragma once

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/hub/hub_access.h"
#include "core/hub/model_download.h"

namespace reelgrid::hub {

/// server.py in a process of its own, with a folder of repositories and a cache.
class TestHub {
  public:
    TestHub();
    ~TestHub();

    /// A small model: configs, a tokenizer, weights (random bytes), and what isn't needed.
    void addModel(const std::string& id) const;
    [[nodiscard]] std::string contents(const std::string& id, const std::string& file) const;
    [[nodiscard]] HubAccess access() const;
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// Every request so far.
    [[nodiscard]] std::vector<nlohmann::json> log() const;

  private:
    std::filesystem::path m_folder;
    std::FILE* m_input = nullptr;
    int m_process = 0;
    std::string m_port;
};

/// Gives up soon.
Patience impatient();

}  // namespace reelgrid::hub
