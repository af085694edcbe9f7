#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "app/cli/model_download.h"
#include "app/cli/model_verify.h"
#include "app/cli/verb.h"
#include "core/base/byte_count.h"
#include "core/base/joined.h"
#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/catalog/built_in_models.h"
#include "core/catalog/known_models.h"
#include "core/catalog/model_catalog.h"

namespace reelgrid::cli {
namespace {

using families::ComponentInfo;
using families::ModelInfo;
using nlohmann::json;

struct ModelsVerb {
    CLI::App* list = nullptr;
    CLI::App* show = nullptr;
    CLI::App* download = nullptr;
    CLI::App* verify = nullptr;
    std::string model = catalog::kDemoModel;
    std::string revision = "main";
    bool json = false;
};

json asJson(const ModelInfo& model) {
    const families::RenderDefaults& defaults = model.defaults;
    json object = {{"id", model.id},
                   {"title", model.title},
                   {"family", model.family},
                   {"folder", model.folder.string()},
                   {"tasks", model.taskNames()},
                   {"bytes", model.bytes()},
                   {"defaults",
                    {{"task", defaults.task},
                     {"width", defaults.width},
                     {"height", defaults.height},
                     {"num_frames", defaults.numFrames},
                     {"fps", defaults.fps},
                     {"num_inference_steps", defaults.numInferenceSteps},
                     {"guidance_scale", defaults.guidanceScale},
                     {"negative_prompt", defaults.negativePrompt}}},
                   {"sizes",
                    {{"size_multiple", model.sizes.sizeMultiple},
                     {"max_size", model.sizes.maxSize},
                     {"frame_stride", model.frames.stride},
                     {"max_frames", model.frames.most}}},
                   {"layers", model.layers},
                   {"components", json::array()}};
    for (const ComponentInfo& component : model.components)
        object["components"].push_back({{"name", component.name},
                                        {"class", component.className},
                                        {"path", component.path.string()},
                                        {"bytes", component.bytes},
                                        {"parameters", component.parameters},
                                        {"dtypes", component.dtypes}});
    return object;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

std::string parameterCount(std::int64_t parameters) {
    return parameters == 0 ? "" : fixed(double(parameters) / 1e6, 2) + " M";
}

int listModels(bool asDocument) {
    const std::vector<ModelInfo> models = catalog::listModels();
    for (const std::string& line : catalog::unreadableInCache()) say("note: " + line);
    if (asDocument) {
        json document = json::array();
        for (const ModelInfo& model : models) document.push_back(asJson(model));
        return printResult(document);
    }
    std::string text;
    for (const ModelInfo& model : models)
        text += padded(model.id, 34) + padded(model.family, 13) + padded(joined(model.taskNames()), 16) +
                padded(byteCount(model.bytes()), 10) + model.title + "\n";
    return models.empty() ? fail({ErrorCode::NotFound, "no model was found"}) : printResult(text);
}

int showModel(const std::string& name, bool asDocument) {
    auto model = catalog::findModel(name);
    if (!model) return fail(model.error());
    if (asDocument) {
        if (auto text = requireUtf8("--json: the model's folder", model->folder.string()); !text)
            return fail(text.error());
        return printResult(asJson(*model));
    }
    const families::RenderDefaults& defaults = model->defaults;
    std::string text = model->id + ": " + model->title + "\nfamily    " + model->family + "\nfolder    " +
                       model->folder.string() + "\ntasks     " + joined(model->taskNames()) + "\ndefaults  " +
                       std::to_string(defaults.width) + "×" + std::to_string(defaults.height) + ", " +
                       std::to_string(defaults.numFrames) + " frames, " + fixed(defaults.fps, 0) + " fps, " +
                       std::to_string(defaults.numInferenceSteps) + " steps, guidance " +
                       fixed(defaults.guidanceScale, 1) + "\nsizes     multiples of " +
                       std::to_string(model->sizes.sizeMultiple) + " up to " +
                       std::to_string(model->sizes.maxSize) + "; frames " + model->frames.words() +
                       "\nlayers    " + std::to_string(model->layers) + "\n";
    for (const ComponentInfo& component : model->components)
        text += "  " + padded(component.name, 14) + padded(component.className, 28) +
                padded(parameterCount(component.parameters), 12) + padded(byteCount(component.bytes), 10) +
                joined(component.dtypes) + "\n";
    for (const ComponentInfo* component : model->componentsElsewhere())
        text += "  " + padded(component->name, 14) + "in " + component->path.string() + "\n";
    return printResult(text);
}

int downloadModel(const ModelsVerb& verb) {
    const auto folder = download(verb.model, verb.revision);
    if (!folder) return fail(folder.error());
    return verb.json ? printResult(json{{"id", verb.model}, {"folder", folder->string()}})
                     : printResult(folder->string());
}

int runModels(const ModelsVerb& verb) {
    if (verb.verify->parsed()) return verifyModel(verb.model, verb.json);
    if (verb.download->parsed()) return downloadModel(verb);
    return verb.show->parsed() ? showModel(verb.model, verb.json) : listModels(verb.json);
}

}  // namespace

Verb addModelsVerb(CLI::App& program) {
    auto verb = std::make_shared<ModelsVerb>();
    CLI::App* command = program.add_subcommand("models", "List, show, download and verify models");
    command->require_subcommand(1);
    verb->list = command->add_subcommand("list", "The built-in models and those in the Hugging Face cache");
    verb->show = command->add_subcommand("show", "One model: components, sizes, defaults");
    verb->show
        ->add_option("model", verb->model,
                     catalog::builtInNames() + ", a folder, a .safetensors file, or a hub id")
        ->capture_default_str();
    verb->download = command->add_subcommand(
        "download", "Fetch a model of the hub into the Hugging Face cache, or the rest of it");
    verb->download
        ->add_option("model", verb->model, "A hub id: " + std::string(catalog::knownModels().front().id))
        ->required();
    verb->download->add_option("--revision", verb->revision, "Branch, tag or commit")->capture_default_str();
    verb->verify = command->add_subcommand(
        "verify", "Check a model's files: tensors' names, shapes and values, sizes, and the hub's hashes");
    verb->verify->add_option("model", verb->model, "demo, a folder, a .safetensors file, or a hub id")
        ->capture_default_str();
    for (CLI::App* shown : {verb->list, verb->show, verb->download, verb->verify})
        shown->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb] { return runModels(*verb); }};
}

}  // namespace reelgrid::cli
