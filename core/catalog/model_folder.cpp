#include "core/catalog/model_folder.h"

#include <algorithm>
#include <set>

#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/catalog/own_defaults.h"
#include "core/families/family.h"
#include "core/protocol/step_cache_json.h"
#include "core/pt/state_dict.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

/// Adds one file of weights' element count and dtypes to `component`. The header is only counted here, the
/// loader says what is wrong with it: a damaged one is left out of the count.
void countTensors(const fs::path& file, families::ComponentInfo& component, std::set<std::string>& dtypes) {
    const auto tensors = pt::weightHeaderOf(file);
    if (!tensors) return;
    for (const auto& [name, tensor] : *tensors) {
        component.parameters += static_cast<std::int64_t>(tensor.elements());
        dtypes.insert(nameOf(tensor.dtype));
    }
}

bool isWeightFile(const fs::path& file) {
    return file.extension() == ".safetensors" || pt::isPtName(file);
}

families::ComponentInfo readComponent(const families::ModelIndex& index, const std::string& name) {
    families::ComponentInfo component{.name = name,
                                      .className = index.classOf(name),
                                      .path = index.pathOf(name),
                                      .files = index.filesOf(name),
                                      .bytes = 0,
                                      .parameters = 0,
                                      .dtypes = {}};
    std::set<std::string> dtypes;
    for (const fs::path& file : component.files) {
        std::error_code failed;
        component.bytes += fs::file_size(file, failed);
        if (isWeightFile(file)) countTensors(file, component, dtypes);
    }
    component.dtypes.assign(dtypes.begin(), dtypes.end());
    return component;
}

/// What a folder says for step caches in step-cache.json, in the place of what was published.
Result<void> readOwnStepCaches(const fs::path& file, families::ModelInfo& model) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    auto own = protocol::readStepCacheCurves(file);
    if (!own) return own.error();
    model.stepCacheCurves = {std::move(own->teacache), std::move(own->magcache), std::move(own->model)};
    return {};
}

/// "WanPipeline (Wan 2.1 text-to-video)"
std::string supportedPipelines() {
    std::string text;
    for (const families::Family& family : families::families())
        for (const families::Pipeline& pipeline : family.pipelines)
            text += (text.empty() ? "" : ", ") + std::string(pipeline.className) + " (" +
                    std::string(pipeline.title) + ")";
    return text;
}

Result<const families::Pipeline*> knownPipelineOf(const families::ModelIndex& index) {
    if (const families::Pipeline* pipeline = families::pipelineOf(index)) return pipeline;
    return Error{ErrorCode::Unsupported, "model " + index.folder().string() + ": its pipeline class is " +
                                             inOneLine(index.pipelineClass()) + ", this version runs " +
                                             supportedPipelines()};
}

/// "; --motion-adapter names one": of a component that a request can bring.
std::string hintOf(const std::string& component) {
    std::string hint;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto) {
        if (field.isModelPart && component == field.key) hint = "; " + optionOf(field) + " names one";
    });
    return hint;
}

/// " (FILE: motion_adapter is [null,null])": where the index itself says that a component isn't there.
std::string nullOf(const std::string& component, const families::ModelIndex& index) {
    const auto entry = index.json().find(component);
    if (index.file().empty() || entry == index.json().end() || !index.classOf(component).empty()) return {};
    return " (" + index.file().string() + ": " + component + " is " + showJson(*entry) + ")";
}

/// Those that the pipeline needs, and those that it takes and the index names.
std::vector<std::string> componentsOf(const families::Pipeline& pipeline, const families::ModelIndex& index) {
    std::vector<std::string> names;
    for (const std::string_view needed : pipeline.components) {
        std::string name(needed);
        const bool isLeftOut = index.classOf(name).empty() && pipeline.goesWithout != nullptr &&
                               pipeline.goesWithout(index, needed);
        if (!isLeftOut) names.push_back(std::move(name));
    }
    for (const std::string_view optional : pipeline.optionalComponents)
        if (std::string name(optional); !index.classOf(name).empty()) names.push_back(std::move(name));
    return names;
}

/// Tokenizers, schedulers and what prepares pictures are settings alone.
bool hasWeights(const std::string& component) {
    return !component.starts_with("tokenizer") && component != "scheduler" &&
           component != "feature_extractor" && component != "image_processor";
}

}  // namespace

Result<std::vector<std::string>> neededComponents(const families::ModelIndex& index) {
    const auto pipeline = knownPipelineOf(index);
    if (!pipeline) return pipeline.error();
    return componentsOf(**pipeline, index);
}

Result<std::vector<std::string>> componentsWithoutWeights(const fs::path& folder) {
    std::vector<std::string> without;
    std::error_code failed;
    if (!fs::exists(folder / "model_index.json", failed)) return without;
    const auto index = families::ModelIndex::read(folder);
    if (!index) return index.error();
    const auto needed = neededComponents(*index);
    if (!needed) return needed.error();
    for (const std::string& name : *needed) {
        if (index->classOf(name).empty()) continue;  // a request brings it
        const std::vector<fs::path> files = index->filesOf(name);
        const bool isThere = hasWeights(name) ? std::ranges::any_of(files, isWeightFile) : !files.empty();
        if (!isThere) without.push_back(name);
    }
    return without;
}

Result<families::ModelInfo> readModelFolder(const fs::path& base) {
    return readModel({.base = base});
}

Result<families::ModelInfo> readModel(const families::ModelSource& source) {
    const fs::path& folder = source.base;
    auto index = families::ModelIndex::read(source);
    if (!index) return index.error();
    auto pipeline = knownPipelineOf(*index);
    if (!pipeline) return pipeline.error();
    const families::Pipeline& mine = **pipeline;

    std::vector<families::ComponentInfo> components;
    for (const std::string& name : componentsOf(mine, *index)) {
        std::error_code failed;
        const bool isBuiltIn = index->file().empty() && index->pathOf(name).empty();
        if (index->classOf(name).empty() || (!isBuiltIn && !fs::exists(index->pathOf(name), failed)))
            return Error{ErrorCode::InvalidData, "model " + folder.string() + ": it has no " + name +
                                                     ", which " + std::string(mine.title) + " needs" +
                                                     hintOf(name) + nullOf(name, *index)};
        components.push_back(readComponent(*index, name));
    }
    auto model = mine.describe(*index);
    if (!model) return model.error();
    model->id = folder.string();
    model->folder = folder;
    model->parts = source.parts;
    model->indexFile = index->file();
    model->title = folder.filename().string();
    model->components = std::move(components);
    if (auto own = readOwnDefaults(folder / kOwnDefaultsFile, *model); !own) return own.error();
    if (auto own = readOwnStepCaches(folder / "step-cache.json", *model); !own) return own.error();
    return model;
}

}  // namespace reelgrid::catalog
