#include "core/plugins/plugin_processes.h"

#include <map>
#include <mutex>
#include <utility>

namespace reelgrid::plugins {
namespace {

// Which processes there are is the process's, as its signals are.
std::mutex theProcessesMutex;
std::map<pid_t, std::string> thePluginOf;  ///< guarded by theProcessesMutex

}  // namespace

PluginProcessScope::PluginProcessScope(pid_t id, std::string plugin) : m_id(id) {
    const std::lock_guard lock(theProcessesMutex);
    thePluginOf.insert_or_assign(id, std::move(plugin));
}

PluginProcessScope::~PluginProcessScope() {
    const std::lock_guard lock(theProcessesMutex);
    thePluginOf.erase(m_id);
}

std::string pluginOf(pid_t process) {
    const std::lock_guard lock(theProcessesMutex);
    const auto found = thePluginOf.find(process);
    return found == thePluginOf.end() ? "" : found->second;
}

}  // namespace reelgrid::plugins
