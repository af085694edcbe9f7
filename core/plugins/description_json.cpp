#include "core/plugins/description_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/attention_policy.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::plugins {
namespace {

using kernels::DataType;
using kernels::Device;
using kernels::PluginDescription;
using nlohmann::json;

constexpr std::size_t kMostNameBytes = 40, kMostTitleBytes = 200, kMostDescriptionBytes = 4000;
constexpr std::array kDevices{Device::Cpu, Device::Cuda};
constexpr std::array kTypes{DataType::Float32, DataType::BFloat16, DataType::Float16};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Of `known` those whose names are in the list.
template <class Value, std::size_t count>
std::vector<Value> named(const json* names, const std::array<Value, count>& known) {
    std::vector<Value> values;
    for (const Value value : known)
        if (names != nullptr && std::find(names->begin(), names->end(), nameOf(value)) != names->end())
            values.push_back(value);
    return values;
}

template <class Value>
json namesOf(const std::vector<Value>& values) {
    json names = json::array();
    for (const Value value : values) names.push_back(nameOf(value));
    return names;
}

Error wrong(const std::string& what) {
    return {ErrorCode::InvalidData, what + " was needed"};
}

Result<void> check(const PluginDescription& said) {
    if (!isBackendName(said.name))
        return wrong("name " + showJson(said.name) + ": a letter, then letters, digits, _ or -, " +
                     std::to_string(kMostNameBytes) + " at most,");
    if (isReservedName(said.name))
        return wrong("name " + showJson(said.name) + ": one without a meaning of its own");
    if (said.title.empty()) return wrong("title: a line that says what the backend is");
    if (said.devices.empty()) return wrong("devices: CPU or CUDA");
    if (said.types.empty()) return wrong("dtypes: fp32, bf16 or fp16");
    if (said.maxHeadDim < 1 || said.maxHeadDim > 65536)
        return wrong("max_head_dim " + std::to_string(said.maxHeadDim) + ": 1 to 65536");
    if (said.headDimMultiple < 1 || said.headDimMultiple > said.maxHeadDim)
        return wrong("head_dim_multiple " + std::to_string(said.headDimMultiple) + ": 1 to max_head_dim");
    if (!std::isfinite(said.claimedL1) || said.claimedL1 < 0)
        return wrong("claimed_l1: a finite number from 0");
    return {};
}

}  // namespace

bool isBackendName(const std::string& name) {
    const auto fits = [](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= kMostNameBytes && isLetter(name.front()) &&
           std::all_of(name.begin(), name.end(), fits);
}

bool isReservedName(const std::string& name) {
    return name == protocol::kDefaultBackend || name == "all";
}

json toJson(const std::vector<kernels::BackendOption>& options) {
    json array = json::array();
    for (const kernels::BackendOption& option : options)
        array.push_back({{"key", option.key}, {"title", option.title}, {"value", option.value}});
    return array;
}

Result<std::vector<kernels::BackendOption>> optionsFromJson(const json& array) {
    std::vector<kernels::BackendOption> options;
    for (const json& object : array) {
        kernels::BackendOption option;
        protocol::FieldReader fields(object, "option", ErrorCode::InvalidData);
        fields.requireText("key", option.key, kMostTitleBytes);
        fields.text("title", option.title, kMostTitleBytes);
        fields.requireText("value", option.value, kMostTitleBytes);
        if (auto read = fields.finish(); !read) return read.error();
        if (!protocol::isOptionKey(option.key))
            return wrong("option " + showJson(option.key) + ": letters, digits, _ or -, 40 at most,");
        if (!protocol::isOptionValue(option.value))
            return wrong("option " + option.key + ": its default " + showJson(option.value) +
                         ": letters, digits, dots, commas, +, - and _, 64 at most,");
        if (std::ranges::find(options, option.key, &kernels::BackendOption::key) != options.end())
            return wrong("option " + option.key + ": each once");
        options.push_back(std::move(option));
    }
    return options;
}

json toJson(const PluginDescription& said) {
    json features = json::array();
    for (const auto& [name, has] : {std::pair{"causal", said.causal},
                                    {"key_bias", said.keyBias},
                                    {"shared_keys", said.sharedKeyHeads},
                                    {"log_sum_exp", said.logSumExp}})
        if (has) features.push_back(name);
    json object = {{"name", said.name},
                   {"title", said.title},
                   {"description", said.description},
                   {"version", said.version},
                   {"author", said.author},
                   {"file", said.file},
                   {"sha256", said.sha256},
                   {"devices", namesOf(said.devices)},
                   {"dtypes", namesOf(said.types)},
                   {"features", std::move(features)},
                   {"max_head_dim", said.maxHeadDim},
                   {"head_dim_multiple", said.headDimMultiple},
                   {"claimed_l1", said.claimedL1}};
    if (!said.interpreter.empty()) object["interpreter"] = said.interpreter;
    if (!said.runtime.empty()) object["runtime"] = said.runtime;
    if (!said.options.empty()) object["options"] = toJson(said.options);
    return object;
}

Result<PluginDescription> descriptionFromJson(const json& object) {
    constexpr std::size_t kMostWords = 16, kMostPathBytes = 4096;
    PluginDescription said;
    protocol::FieldReader fields(object, "backend", ErrorCode::InvalidData);
    fields.requireText("name", said.name, kMostNameBytes);
    fields.requireText("title", said.title, kMostTitleBytes);
    fields.text("description", said.description, kMostDescriptionBytes);
    fields.text("version", said.version, kMostTitleBytes);
    fields.text("author", said.author, kMostTitleBytes);
    fields.text("file", said.file, kMostPathBytes);
    fields.text("sha256", said.sha256, kMostTitleBytes);
    fields.text("interpreter", said.interpreter, kMostPathBytes);
    fields.text("runtime", said.runtime, kMostTitleBytes);
    int maxHeadDim = 0, headDimMultiple = 1;
    fields.integer("max_head_dim", maxHeadDim);
    fields.integer("head_dim_multiple", headDimMultiple);
    fields.number("claimed_l1", said.claimedL1);
    said.devices = named(fields.array("devices", kMostWords), kDevices);
    said.types = named(fields.array("dtypes", kMostWords), kTypes);
    const json* features = fields.array("features", kMostWords);
    const json* options = fields.array("options", kMostOptions);
    if (auto read = fields.finish(); !read) return read.error();
    const auto has = [&](const char* name) {
        return features != nullptr && std::find(features->begin(), features->end(), name) != features->end();
    };
    said.causal = has("causal");
    said.keyBias = has("key_bias");
    said.sharedKeyHeads = has("shared_keys");
    said.logSumExp = has("log_sum_exp");
    said.maxHeadDim = maxHeadDim;
    said.headDimMultiple = headDimMultiple;
    if (options != nullptr) {
        auto read = optionsFromJson(*options);
        if (!read) return read.error();
        said.options = *std::move(read);
    }
    if (auto fits = check(said); !fits) return fits.error();
    return said;
}

}  // namespace reelgrid::plugins
