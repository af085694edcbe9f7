#include "app/cli/recipe_request.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "app/cli/console.h"
#include "app/cli/model_download.h"
#include "core/catalog/recipe.h"
#include "core/protocol/file_fields.h"
#include "core/protocol/lora_choice.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

/// Its values where the request says nothing; its LoRAs are files afterwards.
Result<void> applyRecipe(protocol::RenderRequest& request, const families::ModelInfo& model) {
    const auto recipe = catalog::findRecipe(*request.recipe);
    if (!recipe) return recipe.error();
    if (!recipe->family.empty() && recipe->family != model.family)
        return Error{ErrorCode::BadUsage, "--recipe " + recipe->name + ": model " + model.id +
                                              " is of family " + model.family + ", one of " + recipe->family +
                                              " was needed"};
    const bool takesLora = request.lora.empty(), takesSecond = request.lora2.empty();
    catalog::apply(*recipe, request);
    if (!takesLora && !recipe->fields.lora.empty())
        say("note: --recipe " + recipe->name + ": --lora stands in the place of its LoRA");
    for (const auto& [isTheRecipes, loras] :
         {std::pair{takesLora, &request.lora}, std::pair{takesSecond, &request.lora2}}) {
        if (!isTheRecipes || protocol::isNoLora(*loras)) continue;
        for (std::string& text : *loras) {
            auto choice = protocol::LoraChoice::from(text);
            if (!choice) return choice.error();
            if (fs::path(choice->file).is_absolute()) continue;
            auto file = findOrDownloadFile(choice->file);
            if (!file) return file.error().in("--recipe " + recipe->name);
            choice->file = file->string();
            text = choice->text();
        }
    }
    return {};
}

/// A fault of a value that came from `asked`'s recipe, told as the recipe's and not as an option's. `request`
/// has the recipe's values.
Error inRecipe(const Error& error, const protocol::RenderRequest& asked,
               const protocol::RenderRequest& request) {
    bool isOfRecipe = false;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        const std::string option = optionOf(field);
        // What follows tells --guidance-scale from --guidance-scale-2.
        const std::string next = error.message.substr(0, option.size() + 1);
        if (next == option + " " || next == option + ":")
            isOfRecipe = access(asked) != access(request) && std::string_view(field.key) != "recipe";
    });
    return isOfRecipe ? protocol::withKeys(error).in("recipe " + *asked.recipe) : error;
}

}  // namespace

Result<CheckedRequest> checkWithRecipe(const protocol::RenderRequest& request,
                                       const families::ModelInfo& model, const machine::Machine& machine) {
    if (!request.recipe) return CheckedRequest::create(request, model, machine);
    protocol::RenderRequest whole = request;
    if (auto applied = applyRecipe(whole, model); !applied) return applied.error();
    auto checked = CheckedRequest::create(whole, model, machine);
    if (!checked) return inRecipe(checked.error(), request, whole);
    return checked;
}

}  // namespace reelgrid::cli
