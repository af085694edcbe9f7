#pragma once

#include <sys/types.h>

#include <string>

namespace reelgrid::plugins {

/// While it lives, process `id` runs the code of `plugin` ("plug-in mine (/x/mine.py)"). Any thread.
class PluginProcessScope {
  public:
    PluginProcessScope(pid_t id, std::string plugin);
    PluginProcessScope(const PluginProcessScope&) = delete;
    PluginProcessScope& operator=(const PluginProcessScope&) = delete;
    ~PluginProcessScope();

  private:
    pid_t m_id;
};

/// Whose code that process runs; empty: no plug-in's. Any thread.
std::string pluginOf(pid_t process);

}  // namespace reelgrid::plugins
