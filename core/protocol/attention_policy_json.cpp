#include "core/protocol/attention_policy_json.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/file_fields.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = 64 << 10;
constexpr std::size_t kMaxRules = 256;
constexpr std::size_t kMaxNameBytes = 256;
constexpr int kMaxIndex = 100'000;

using Names = std::initializer_list<std::string_view>;

Error badUsage(const std::string& message) {
    return {ErrorCode::BadUsage, message};
}

std::optional<int> indexFrom(const json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= std::uint64_t(kMaxIndex)
                                                 : std::abs(value.get<double>()) <= kMaxIndex;
    return fits ? std::optional(value.get<int>()) : std::nullopt;
}

std::optional<IndexRange> rangeFrom(const json& value) {
    if (value.is_string()) return indexRangeFrom(value.get_ref<const std::string&>());
    if (const auto one = indexFrom(value)) return IndexRange{*one, *one};
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    const auto first = indexFrom(value[0]);
    const auto last = indexFrom(value[1]);
    return first && last ? std::optional(IndexRange{*first, *last}) : std::nullopt;
}

void readRange(const json& rule, const char* key, FieldReader& fields, std::optional<IndexRange>& target) {
    const auto value = rule.find(key);
    if (value == rule.end() || value->is_null()) return;
    const auto fail = [&](const std::string& needed) {
        fields.fail(std::string(key) + " " + showJson(*value) + ": " + needed + " was needed");
    };
    const auto range = rangeFrom(*value);
    if (!range) return fail("a whole number, [first, last] or text such as \"0..3\"");
    const bool sameEnd = (range->first < 0) == (range->last < 0);
    if (sameEnd && range->first > range->last) return fail("a first that is not after the last");
    target = range;
}

/// Calls `found` with the choice whose name stands at `key`.
template <class Choice>
void readChoice(FieldReader& fields, const char* key, std::initializer_list<Choice> choices,
                const std::function<void(Choice)>& found) {
    std::optional<std::string> name;
    fields.text(key, name, kMaxNameBytes);
    if (!name) return;
    std::string names;
    for (const Choice choice : choices) {
        if (*name == nameOf(choice)) return found(choice);
        names += (names.empty() ? "" : ", ") + std::string(nameOf(choice));
    }
    fields.fail(std::string(key) + " " + showJson(json(*name)) + ": one of " + names + " was needed");
}

void refuseUnknownFields(const json& object, FieldReader& fields, Names known) {
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(known, key) != known.end()) continue;
        std::string names;
        for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
        fields.fail(showJson(json(key)) + " is no field here: " + (known.size() > 1 ? "one of " : "") +
                    names + " was needed");
    }
}

Result<AttentionRule> ruleFrom(const json& object, const std::string& what) {
    AttentionRule rule;
    FieldReader fields(object, what, ErrorCode::BadUsage);
    refuseUnknownFields(object, fields, {"backend", "module", "layers", "steps", "branch"});
    fields.requireText("backend", rule.backend, kMaxNameBytes);
    using Module = std::optional<ModuleKind>;
    readChoice<Module>(
        fields, "module",
        {ModuleKind::Self, ModuleKind::Cross, ModuleKind::Joint, ModuleKind::Temporal, std::nullopt},
        [&](Module module) { rule.module = module; });
    readChoice<GuidanceBranch>(fields, "branch", {GuidanceBranch::Conditional, GuidanceBranch::Unconditional},
                               [&](GuidanceBranch branch) { rule.branch = branch; });
    if (object.is_object()) {
        readRange(object, "layers", fields, rule.layers);
        readRange(object, "steps", fields, rule.steps);
    }
    if (auto read = fields.finish(); !read) return read.error();
    return rule;
}

/// "fav2:module=self,steps=0..1" as the object that says the same.
Result<json> objectFrom(const std::string& text) {
    const std::size_t colon = text.find(':');
    json object = {{"backend", text.substr(0, colon)}};
    if (colon == text.npos) return object;
    std::string_view left = std::string_view(text).substr(colon + 1);
    while (true) {
        const std::string_view part = left.substr(0, left.find(','));
        const std::size_t equals = part.find('=');
        const std::string key(part.substr(0, equals));
        if (equals == part.npos || object.contains(key))
            return badUsage(showJson(json(std::string(part))) +
                            ": BACKEND:NAME=VALUE,… was needed, each name once (module, layers, steps, "
                            "branch)");
        object[key] = std::string(part.substr(equals + 1));
        if (part.size() == left.size()) return object;
        left.remove_prefix(part.size() + 1);
    }
}

json toJson(const IndexRange& range) {
    return json::array({range.first, range.last});
}

}  // namespace

json toJson(const AttentionPolicy& policy) {
    json rules = json::array();
    for (const AttentionRule& rule : policy.rules) {
        json object = {{"backend", rule.backend}, {"module", nameOf(rule.module)}};
        if (rule.layers) object["layers"] = toJson(*rule.layers);
        if (rule.steps) object["steps"] = toJson(*rule.steps);
        if (rule.branch) object["branch"] = nameOf(*rule.branch);
        rules.push_back(std::move(object));
    }
    return {{"rules", std::move(rules)}};
}

Result<AttentionPolicy> attentionPolicyFromJson(const json& object) {
    FieldReader fields(object, "attention policy", ErrorCode::BadUsage);
    refuseUnknownFields(object, fields, {"rules"});
    const json* rules = fields.array("rules", kMaxRules, true);
    if (rules != nullptr && rules->empty()) fields.fail("rules has no entries: at least one was needed");
    if (auto read = fields.finish(); !read) return read.error();
    AttentionPolicy policy;
    for (const json& each : *rules) {
        auto rule = ruleFrom(each, "rule " + std::to_string(policy.rules.size() + 1));
        if (!rule) return rule.error();
        policy.rules.push_back(*std::move(rule));
    }
    return policy;
}

json toJson(const SavedPolicy& file) {
    json object = toJson(file.policy);
    if (!file.backendOption.empty()) object["backend_option"] = file.backendOption;
    return object;
}

Result<AttentionPolicy> readAttentionPolicy(const std::filesystem::path& file) {
    auto read = readSavedPolicy(file);
    if (!read) return read.error();
    if (!read->backendOption.empty())
        return badUsage(file.string() + ": it sets backend_option: rules alone were needed");
    return std::move(read->policy);
}

Result<SavedPolicy> readSavedPolicy(const std::filesystem::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return asBadUsage(text.error());
    auto parsed = parseJson(*text, file.string(), JsonDialect::Standard, RepeatedKeys::Refused);
    if (!parsed) return asBadUsage(parsed.error());
    SavedPolicy read;
    if (const auto options = parsed->find("backend_option");
        parsed->is_object() && options != parsed->end()) {
        const json texts = *options;
        parsed->erase(options);
        if (!texts.is_array() || texts.size() > kMaxRules)
            return badUsage(file.string() + ": backend_option " + showJson(texts) +
                            ": a list of NAME.KEY=VALUE was needed");
        for (const json& each : texts) {
            if (!each.is_string() || each.get_ref<const std::string&>().empty())
                return badUsage(file.string() + ": backend_option " + showJson(each) +
                                ": NAME.KEY=VALUE was needed");
            const auto choice = BackendOptionChoice::from(each.get<std::string>());
            if (!choice) return withKeys(choice.error()).in(file.string());
            read.backendOption.push_back(each);
        }
    }
    auto policy = attentionPolicyFromJson(*parsed);
    if (!policy) return policy.error().in(file.string());
    read.policy = *std::move(policy);
    return read;
}

Result<AttentionPolicy> attentionPolicyFromRules(const std::vector<std::string>& texts) {
    if (texts.size() > kMaxRules)
        return badUsage(std::to_string(texts.size()) + " rules: at most " + std::to_string(kMaxRules) +
                        " were needed");
    AttentionPolicy policy;
    for (const std::string& text : texts) {
        const std::string what = "rule " + std::to_string(policy.rules.size() + 1);
        auto object = objectFrom(text);
        if (!object) return object.error().in(what);
        auto rule = ruleFrom(*object, what);
        if (!rule) return rule.error();
        policy.rules.push_back(*std::move(rule));
    }
    return policy;
}

}  // namespace reelgrid::protocol
