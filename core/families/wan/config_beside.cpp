#include "core/families/wan/config_beside.h"

#include <array>
#include <utility>

#include "core/base/json.h"
#include "core/families/wan/config.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A key by diffusers' name and by that of Wan's authors.
struct Key {
    const char *diffusers, *original;
};
constexpr std::array kOfShapes{Key{"in_channels", "in_dim"},
                               Key{"out_channels", "out_dim"},
                               Key{"ffn_dim", "ffn_dim"},
                               Key{"freq_dim", "freq_dim"},
                               Key{"text_dim", "text_dim"},
                               Key{"num_layers", "num_layers"},
                               Key{"patch_size", "patch_size"},
                               Key{"image_dim", "image_dim"},
                               Key{"cross_attn_norm", "cross_attn_norm"}};

json valueOf(const json& config, const char* key) {
    const auto found = config.find(key);
    return found == config.end() ? json() : *found;
}

/// "it says num_layers 30, the tensors have 40"; empty where nothing is contradicted.
std::string contradictionOfShapes(const json& own, bool isOriginal, const json& shapes) {
    for (const Key& key : kOfShapes) {
        const char* name = isOriginal ? key.original : key.diffusers;
        const json said = valueOf(own, name), stored = valueOf(shapes, key.diffusers);
        if (said.is_null() || said == stored) continue;
        return std::string("it says ") + name + " " + showJson(said) + ", the tensors have " +
               (stored.is_null() ? "none" : showJson(stored));
    }
    return {};
}

/// The same of its heads, which no shape tells apart, and their channels together.
std::string contradictionOfHeads(const json& config, std::int64_t channels) {
    const json dim = valueOf(config, "attention_head_dim"), heads = valueOf(config, "num_attention_heads");
    const std::string have = ", the tensors have " + std::to_string(channels) + " channels";
    const auto isCount = [](const json& value) { return value.is_number_integer() && value > 0; };
    if (!dim.is_null() && (!isCount(dim) || channels % dim.get<std::int64_t>() != 0))
        return "it says attention_head_dim " + showJson(dim) + have;
    if (heads.is_null()) return {};
    const std::int64_t each = dim.is_null() ? kPublishedHeadDim : dim.get<std::int64_t>();
    if (isCount(heads) && channels % each == 0 && heads == channels / each) return {};
    return "it says num_attention_heads " + showJson(heads) + " of " + std::to_string(each) + " channels" +
           have;
}

std::string contradictionOfEps(const json& config) {
    const json eps = valueOf(config, "eps");
    if (eps.is_null() || (eps.is_number() && eps > 0)) return {};
    return "it says eps " + showJson(eps) + ", a number above 0 was needed";
}

}  // namespace

ConfigBeside configBeside(const fs::path& file, const json& shapes, std::int64_t channels) {
    const fs::path where = file.parent_path() / "config.json";
    const auto own = readJsonObject(where);
    if (!own) return {};
    const json name = valueOf(*own, "_class_name");
    const bool isOriginal = name == "WanModel";
    if (!isOriginal && name != "WanTransformer3DModel") return {};
    const auto passedOver = [&](const std::string& why) {
        return ConfigBeside{.passedOver = where.string() + " had no effect, it is of another model than " +
                                          file.filename().string() + ": " + why};
    };
    if (std::string why = contradictionOfShapes(*own, isOriginal, shapes); !why.empty())
        return passedOver(why);
    json config = *own;
    if (isOriginal) {
        auto inDiffusersWords = configOfWanModel(*own, where);
        if (!inDiffusersWords) return passedOver(inDiffusersWords.error().message);
        config = *std::move(inDiffusersWords);
    }
    for (const std::string& why : {contradictionOfHeads(config, channels), contradictionOfEps(config)})
        if (!why.empty()) return passedOver(why);
    return {.config = std::move(config)};
}

}  // namespace reelgrid::families::wan
