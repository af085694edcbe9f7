#pragma once

#include <string>
#include <vector>

#include "core/pipeline/render_plan.h"
#include "core/protocol/asked_backends.h"
#include "core/result/manifest.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::pipeline {

/// What a render's manifest says before anything has run: request, settings, machine, forecast.
result::Manifest renderManifest(const RenderPlan& plan);

/// Which files the plug-in backends among those that were asked for are.
template <template <class> class Maybe>
std::vector<result::PluginRecord> pluginsOf(const protocol::RenderFields<Maybe>& settings) {
    std::vector<result::PluginRecord> records;
    for (const std::string& name : protocol::askedBackends(settings)) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr || backend->plugin == nullptr) continue;
        const kernels::PluginDescription& said = backend->plugin->description;
        records.push_back({name, said.file, said.sha256, said.version, said.interpreter, said.runtime});
    }
    return records;
}

}  // namespace reelgrid::pipeline
