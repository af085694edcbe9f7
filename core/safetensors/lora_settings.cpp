#include "core/safetensors/lora_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::safetensors {
namespace {

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;  // of patterns the first that matches counts

constexpr const char* kMetadataKey = "lora_adapter_metadata";
/// What stands before the keys of a part where a file's settings are those of several.
struct ComponentPrefix {
    std::string_view text;
    LoraComponent component;
};
constexpr std::array kComponentPrefixes{ComponentPrefix{"transformer.", LoraComponent::Transformer},
                                        ComponentPrefix{"unet.", LoraComponent::Unet},
                                        ComponentPrefix{"text_encoder.", LoraComponent::TextEncoder}};
constexpr std::string_view kPeftWeights = "adapter_model.safetensors", kPeftConfig = "adapter_config.json";
constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20;
constexpr double kMostRank = 65536;
/// Several for each layer of the largest models.
constexpr std::size_t kMostPatterns = 16384;

/// How a LoRA was trained, what of the model it has matrices for, and who made it: the matrices say the rest.
constexpr std::array<std::string_view, 21> kWithoutEffect{"auto_mapping",      "base_model_name_or_path",
                                                          "corda_config",      "ensure_weight_tying",
                                                          "eva_config",        "exclude_modules",
                                                          "fan_in_fan_out",    "inference_mode",
                                                          "layers_pattern",    "layers_to_transform",
                                                          "lora_bias",         "lora_dropout",
                                                          "lora_ga_config",    "loftq_config",
                                                          "megatron_core",     "peft_version",
                                                          "qalora_group_size", "revision",
                                                          "runtime_config",    "target_modules",
                                                          "task_type"};
/// Ways to begin that leave the model's own weights as they are.
constexpr std::array<std::string_view, 3> kPlainBeginnings{"gaussian", "orthogonal", "eva"};

bool isOff(const Ordered& value) {
    return value.is_null() || value == false ||
           ((value.is_structured() || value.is_string()) && value.empty()) || value == "";
}

bool isWithoutEffect(const std::string& key) {
    return std::ranges::find(kWithoutEffect, key) != kWithoutEffect.end();
}

std::string shown(const Ordered& value) {
    return showJson(nlohmann::json::parse(value.dump(-1, ' ', true, Ordered::error_handler_t::replace)));
}

}  // namespace

/// Takes one setting of a part after the other.
class LoraSettings::Reader {
  public:
    Reader(std::string where, bool isBelow) {
        m_settings.m_where = std::move(where);
        m_settings.m_isPlain = !isBelow;
    }

    void take(LoraComponent component, const std::string& key, const Ordered& value) {
        Strength& strength = m_settings.m_strengths[component];
        if (key == "r")
            strength.rank = rank(key, value);
        else if (key == "lora_alpha")
            strength.alpha = number(key, value);
        else if (key == "use_rslora")
            strength.isRankStabilised = flag(key, value);
        else if (key == "rank_pattern")
            strength.rankPatterns = patterns(key, value, &Reader::rank);
        else if (key == "alpha_pattern")
            strength.alphaPatterns = patterns(key, value, &Reader::number);
        else if (key == "peft_type")
            requireOneOf(key, value, std::array<std::string_view, 1>{"LORA"});
        else if (key == "bias")
            requireOneOf(key, value, std::array<std::string_view, 1>{"none"});
        else if (key == "init_lora_weights" && !value.is_boolean())
            requireOneOf(key, value, kPlainBeginnings);
        else if (key != "init_lora_weights" && !isWithoutEffect(key) && !isOff(value))
            unsupported(key, value, "a LoRA without it was needed");
    }
    [[nodiscard]] LoraSettings taken() { return std::move(m_settings); }

  private:
    [[nodiscard]] std::string named(const std::string& key, const Ordered& value) const {
        return m_settings.m_where + ": " + quotedName(key) + " is " + shown(value);
    }
    [[noreturn]] void invalid(const std::string& key, const Ordered& value, const std::string& needed) const {
        throw Failure(ErrorCode::InvalidData, named(key, value) + ", " + needed + " was needed");
    }
    [[noreturn]] void unsupported(const std::string& key, const Ordered& value,
                                  const std::string& needed) const {
        throw Failure(ErrorCode::Unsupported, named(key, value) + ", which can't be merged; " + needed);
    }
    [[nodiscard]] double number(const std::string& key, const Ordered& value) const {
        const double read = value.is_number() ? value.get<double>() : std::nan("");
        if (!std::isfinite(read)) invalid(key, value, "a number");
        return read;
    }
    [[nodiscard]] double rank(const std::string& key, const Ordered& value) const {
        const double read = value.is_number_integer() ? value.get<double>() : 0;
        if (read < 1 || read > kMostRank) invalid(key, value, "a rank from 1 to 65536");
        return read;
    }
    [[nodiscard]] bool flag(const std::string& key, const Ordered& value) const {
        if (!value.is_boolean()) invalid(key, value, "true or false");
        return value.get<bool>();
    }
    void requireOneOf(const std::string& key, const Ordered& value,
                      std::span<const std::string_view> known) const {
        if (value.is_null()) return;
        if (!value.is_string() || std::ranges::find(known, value.get<std::string>()) == known.end())
            unsupported(key, value, quotedName(std::string(known.front())) + " was needed");
    }
    [[nodiscard]] Patterns patterns(const std::string& key, const Ordered& value,
                                    double (Reader::*read)(const std::string&, const Ordered&) const) const {
        Patterns all;
        if (value.is_null()) return all;
        if (!value.is_object() || value.size() > kMostPatterns)
            invalid(key, value, "an object of at most " + std::to_string(kMostPatterns) + " modules");
        for (const auto& [pattern, number] : value.items())
            all.emplace_back(ModulePattern(pattern, m_settings.m_where + ": " + key),
                             (this->*read)(key + "." + pattern, number));
        return all;
    }

    LoraSettings m_settings;
};

std::optional<LoraSettings> LoraSettings::of(const fs::path& lora) {
    const auto file = MappedFile::open(lora);
    const auto metadata = readMetadata(file->bytes(), lora.string());
    const auto kept = metadata.find(kMetadataKey);
    const auto config = adapterConfigOf(lora);
    const bool isInHeader = kept != metadata.end() && !kept->second.empty();
    if (!isInHeader && !config) return std::nullopt;
    const std::string where = isInHeader ? lora.string() + ": " + kMetadataKey : config->string();
    const std::string text = isInHeader ? kept->second : readFile(*config, kMostConfigBytes).value();
    // The first reading bounds the depth and has words for what isn't JSON, the second one keeps the order.
    const nlohmann::json checked =
        parseJson(text, where, JsonDialect::Standard, RepeatedKeys::Refused).value();
    if (!checked.is_object())
        throw Failure(ErrorCode::InvalidData,
                      where + " holds " + showJson(checked) + ", an object was needed");
    const Ordered settings = Ordered::parse(text);
    const auto prefixOf = [](const std::string& key) {
        return std::ranges::find_if(
            kComponentPrefixes, [&](const ComponentPrefix& prefix) { return key.starts_with(prefix.text); });
    };
    bool isBelow = false;
    for (const auto& [key, value] : settings.items())
        isBelow = isBelow || prefixOf(key) != kComponentPrefixes.end();
    Reader reader(where, isBelow);
    for (const auto& [key, value] : settings.items()) {
        if (const auto prefix = prefixOf(key); prefix != kComponentPrefixes.end())
            reader.take(prefix->component, key.substr(prefix->text.size()), value);
        // Others with a dot are of a part that isn't here, say "text_encoder_2.r".
        else if (!isBelow && key.find('.') == key.npos)
            for (const ComponentPrefix& each : kComponentPrefixes) reader.take(each.component, key, value);
    }
    return reader.taken();
}

double LoraSettings::valueFor(std::span<const std::string> names, const Patterns& patterns,
                              double otherwise) {
    for (const auto& [pattern, value] : patterns)
        if (std::ranges::any_of(names, [&](const std::string& name) { return pattern.matches(name); }))
            return value;
    return otherwise;
}

const LoraSettings::Strength* LoraSettings::saidOf(LoraComponent component, const std::string& module) const {
    const auto of = [&](LoraComponent each) {
        const auto found = m_strengths.find(each);
        return found == m_strengths.end() ? nullptr : &found->second;
    };
    if (component != LoraComponent::Denoiser) return of(component);
    const Strength *transformer = of(LoraComponent::Transformer), *unet = of(LoraComponent::Unet);
    if (!m_isPlain && transformer != nullptr && unet != nullptr)
        throw Failure(ErrorCode::InvalidData,
                      m_where + " has settings of a transformer and of a UNet, and " + quotedName(module) +
                          " is named as in neither; those of one of them were needed");
    return transformer != nullptr ? transformer : unet;
}

double LoraSettings::strengthOf(LoraComponent component, std::span<const std::string> names,
                                std::int64_t rank) const {
    const Strength* found = saidOf(component, names.front());
    const Strength strength = found == nullptr ? Strength{} : *found;
    const double said = valueFor(names, strength.rankPatterns, strength.rank),
                 alpha = valueFor(names, strength.alphaPatterns, strength.alpha);
    if (said != static_cast<double>(rank))
        throw Failure(ErrorCode::InvalidData,
                      m_where + (found == nullptr ? " says nothing of the network of " : " gives ") +
                          quotedName(names.front()) +
                          (found == nullptr ? ", which leaves it peft's own rank " : " the rank ") +
                          std::to_string(static_cast<std::int64_t>(said)) + ", its matrices have " +
                          std::to_string(rank));
    return alpha / (strength.isRankStabilised ? std::sqrt(said) : said);
}

double LoraSettings::greatestAlpha(LoraComponent component) const {
    const Strength* found = saidOf(component, "a layer");
    if (found == nullptr) return Strength().alpha;
    double greatest = std::abs(found->alpha);
    for (const auto& [pattern, alpha] : found->alphaPatterns) greatest = std::max(greatest, std::abs(alpha));
    return greatest;
}

std::optional<fs::path> adapterConfigOf(const fs::path& lora) {
    const fs::path config = lora.parent_path() / kPeftConfig;
    std::error_code failed;
    if (lora.filename() != kPeftWeights || !fs::exists(config, failed)) return std::nullopt;
    return config;
}

}  // namespace reelgrid::safetensors
