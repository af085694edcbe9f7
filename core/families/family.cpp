#include "core/families/family.h"

namespace reelgrid::families {

const Pipeline* pipelineOf(const ModelIndex& index) {
    for (const Family& family : families())
        for (const Pipeline& pipeline : family.pipelines)
            if (pipeline.recognises(index)) return &pipeline;
    return nullptr;
}

const Script* findScript(std::string_view name) {
    for (const Family& family : families())
        for (const Script& script : family.scripts)
            if (script.name == name) return &script;
    return nullptr;
}

const LayoutReader* layoutReaderOf(const std::filesystem::path& path) {
    for (const Family& family : families())
        for (const LayoutReader& reader : family.layouts)
            if (reader.recognises(path)) return &reader;
    return nullptr;
}

}  // namespace reelgrid::families
