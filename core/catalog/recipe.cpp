#include "core/catalog/recipe.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/base/resources.h"
#include "core/catalog/choice_words.h"
#include "core/hub/repository.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/file_fields.h"
#include "core/protocol/lora_choice.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

/// What a recipe may say of a request: what a person can leave to it, so that it is seen what was given.
constexpr std::array<std::string_view, 9> kFields{
    "lora",      "lora_2",     "num_inference_steps", "guidance_scale", "guidance_scale_2",
    "scheduler", "flow_shift", "sigma_max",           "boundary",
};
constexpr std::array<std::string_view, 3> kOwn{"name", "title", "family"};

fs::path recipeFolder() {
    return resourceFolder() / "recipes";
}

/// "name, title"
std::string listed(const auto& keys) {
    std::string text;
    for (const std::string_view key : keys) text.append(text.empty() ? "" : ", ").append(key);
    return text;
}

/// Refuses values that say nothing: null, and an empty text (a title may be one).
Result<void> requireValue(const std::string& key, const nlohmann::json& value) {
    const bool isEmptyName = (key == "name" || key == "family") && value == "";
    if (value.is_null() || isEmptyName)
        return Error{ErrorCode::BadUsage, key + " " + showJson(value) + ": " +
                                              (value.is_null() ? "a value" : "some text") + " was needed"};
    return protocol::refuseEmptyText(key, key, value);
}

bool setsSomething(const protocol::RenderRequest& fields) {
    const protocol::RenderRequest usual;
    bool sets = false;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        sets = sets || (isAmong(kFields, field.key) && access(fields) != access(usual));
    });
    return sets;
}

/// A file beside the recipe, or what the hub has.
Result<void> locateLoras(const fs::path& folder, std::vector<std::string>& loras) {
    if (protocol::isNoLora(loras)) return {};
    for (std::string& text : loras) {
        auto choice = protocol::LoraChoice::from(text);
        if (!choice) return choice.error();
        const fs::path beside = folder / choice->file;
        std::error_code failed;
        const auto part = hub::partIdFrom(choice->file);
        const bool isOnHub = part && !part->file.empty();
        if (fs::exists(beside, failed) || !isOnHub)
            choice->file = fs::absolute(beside).lexically_normal().string();
        text = choice->text();
    }
    return {};
}

Result<Recipe> readRecipe(const fs::path& file) {
    const auto document = readJsonObject(file, kMostBytes, RepeatedKeys::Refused);
    if (!document) return protocol::asBadUsage(document.error());
    const std::string what = "recipe " + file.string();
    for (const auto& [key, value] : document->items()) {
        if (!isAmong(kFields, key) && !isAmong(kOwn, key))
            return Error{ErrorCode::BadUsage, what + ": " + inOneLine(key) + " " + showJson(value) +
                                                  ": one of " + listed(kOwn) + ", " + listed(kFields) +
                                                  " was needed"};
        if (auto given = requireValue(key, value); !given) return given.error().in(what);
    }
    auto fields = protocol::renderRequestFromJson(*document);
    if (!fields) return Error{ErrorCode::BadUsage, what + ": " + fields.error().message};
    Recipe recipe{.name = file.stem().string(), .title = {}, .family = {}, .fields = *std::move(fields)};
    protocol::FieldReader own(*document, what, ErrorCode::BadUsage);
    constexpr std::size_t kMostName = 80;
    own.text("name", recipe.name, kMostName);
    own.text("title", recipe.title);
    own.text("family", recipe.family);
    if (auto read = own.finish(); !read) return read.error();
    if (!setsSomething(recipe.fields))
        return Error{ErrorCode::BadUsage,
                     what + ": it sets nothing; one of " + listed(kFields) + " was needed"};
    for (auto* loras : {&recipe.fields.lora, &recipe.fields.lora2})
        if (auto located = locateLoras(file.parent_path(), *loras); !located)
            return Error{ErrorCode::BadUsage, what + ": " + protocol::withKeys(located.error()).message};
    return recipe;
}

}  // namespace

std::vector<std::string> recipeNames() {
    std::vector<std::string> names;
    if (const auto entries = entriesOf(recipeFolder()))
        for (const auto& entry : *entries)
            if (entry.path().extension() == kEnding) names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

Result<Recipe> findRecipe(const std::string& nameOrFile) {
    const std::vector<std::string> names = recipeNames();
    if (isAmong(names, nameOrFile)) return readRecipe(recipeFolder() / (nameOrFile + std::string(kEnding)));
    std::error_code failed;
    if (nameOrFile.ends_with(kEnding) && fs::exists(nameOrFile, failed)) return readRecipe(nameOrFile);
    std::string known;
    for (const std::string& name : names) known += name + ", ";
    return Error{ErrorCode::BadUsage,
                 "--recipe " + nameOrFile + ": one of " + known + "or a .json file was needed"};
}

void apply(const Recipe& recipe, protocol::RenderRequest& request) {
    const protocol::RenderRequest usual;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if (isAmong(kFields, field.key) && access(request) == access(usual))
            access(request) = access(recipe.fields);
    });
    request.recipe = recipe.name;
}

}  // namespace reelgrid::catalog
