#pragma once

#include <reelgrid/attention_backend.h>

#include <filesystem>
#include <memory>
#include <string>

#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

class PluginLibrary;

/// A plug-in's backend as the kernels' list takes it: loads the library when it is first asked something, and
/// names the plug-in in whatever goes wrong. Throws Failure. Called by one thread at a time.
class LibraryKernel final : public kernels::PluginKernel {
  public:
    explicit LibraryKernel(const kernels::PluginDescription& description);

    std::optional<std::string> whyNot(const kernels::AttentionProblem& problem) override;
    std::int64_t workspaceBytes(const kernels::AttentionProblem& problem) override;
    void attend(const kernels::AttentionProblem& problem) override;

  private:
    const reelgrid_backend& backend();

    std::filesystem::path m_file;
    std::string m_name, m_sha256;
    std::string m_inSupports, m_inWorkspace, m_inRun;  ///< whom to blame
    std::shared_ptr<const PluginLibrary> m_library;
    const reelgrid_backend* m_backend = nullptr;
    std::uint64_t m_workspaceBytes = 0;  ///< that the last problem needs
};

/// "plug-in mine (/x/libmine.so)"
std::string blameOf(const kernels::PluginDescription& description);

}  // namespace reelgrid::plugins
