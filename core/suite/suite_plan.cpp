#include "core/suite/suite_plan.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/json.h"
#include "core/protocol/attention_call.h"
#include "core/protocol/file_fields.h"
#include "core/suite/prompt_list.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;
using protocol::Decides;

/// Names of axes, and the fields that they are.
constexpr std::array kAxisNames{std::pair{"prompts", "prompt"}, std::pair{"seeds", "seed"},
                                std::pair{"types", kBackendAxis}, std::pair{"models", "model"},
                                std::pair{"policies", "attention_policy"}};
/// The order of axes; all others lie between the last two.
constexpr std::array kOrder{std::string_view("prompt"), std::string_view("seed"), std::string_view("model")};

enum class FieldIs { One, List, Unknown };

FieldIs kindOf(const std::string& key) {
    FieldIs kind = key == "model" ? FieldIs::One : FieldIs::Unknown;
    protocol::RenderRequest request;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if (key != field.key) return;
        using Value = std::remove_reference_t<decltype(access(request))>;
        kind = std::is_same_v<Value, std::vector<std::string>> ? FieldIs::List : FieldIs::One;
    });
    return kind;
}

Error wrong(const std::string& key, const json& value, const std::string& needed) {
    return {ErrorCode::BadUsage, key + " " + showJson(value) + ": " + needed + " was needed"};
}

/// Where the values of a key are a file of prompts, what that holds.
Result<json> valuesOf(const std::string& key, const json& value, const std::filesystem::path& folder) {
    if (key != "prompts" || !value.is_string()) return value;
    const auto file = value.get<std::string>();
    if (file.empty()) return wrong(key, value, "a list, or a file of prompts,");
    auto prompts = readPrompts(folder / file);
    if (!prompts) return protocol::asBadUsage(prompts.error());
    return json(*prompts);
}

/// Sorts a file's keys into axes and what all renders share.
Result<void> sortKeys(const json& file, const std::filesystem::path& folder, SuitePlan& plan, json& shared) {
    std::set<std::string> seen;
    for (const auto& [name, given] : file.items()) {
        std::string key = name;
        bool isAxisName = false;
        for (const auto& [axis, field] : kAxisNames)
            if (name == axis) {
                key = field;
                isAxisName = true;
            }
        const FieldIs kind = kindOf(key);
        if (kind == FieldIs::Unknown || key == "output")
            return Error{ErrorCode::BadUsage, name + ": no field of a render (see render --help)"};
        if (!seen.insert(key).second)
            return Error{ErrorCode::BadUsage, name + ": " + key + " is given twice; once was needed"};
        const auto values = valuesOf(name, given, folder);
        if (!values) return values.error();
        const bool isList =
            values->is_array() && (kind == FieldIs::One || (!values->empty() && values->front().is_array()));
        if (isAxisName && !isList) return wrong(name, given, "a list");
        if (auto filled = protocol::refuseEmptyText(key, name, *values); !filled) return filled.error();
        if (!isList) {
            shared[key] = *values;
            continue;
        }
        if (values->empty()) return wrong(name, given, "a list of at least one");
        plan.axes.push_back({key, {values->begin(), values->end()}});
    }
    return {};
}

/// Prompts, seeds and models first, backends last, sdpa first of them.
void putInOrder(std::vector<Axis>& axes) {
    const auto rank = [](const Axis& axis) {
        if (axis.key == kBackendAxis) return kOrder.size() + 1;
        return std::size_t(std::ranges::find(kOrder, axis.key) - kOrder.begin());
    };
    std::ranges::stable_sort(axes, {}, rank);
    if (!axes.empty() && axes.back().key == kBackendAxis)
        std::ranges::stable_partition(axes.back().values, [](const json& type) {
            return type.is_string() && type.get<std::string>() == protocol::kReferenceBackend;
        });
}

/// The next place on all axes, the last one running fastest; false after the last of all.
bool advance(std::vector<std::size_t>& at, const std::vector<Axis>& axes) {
    for (std::size_t i = axes.size(); i-- > 0;) {
        if (++at[i] < axes[i].values.size()) return true;
        at[i] = 0;
    }
    return false;
}

std::size_t jobAt(const std::vector<std::size_t>& at, const std::vector<Axis>& axes) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) index = index * axes[i].values.size() + at[i];
    return index;
}

}  // namespace

std::string valueText(const json& value) {
    return value.is_string() ? value.get<std::string>() : printJson(value);
}

bool decidesAttention(const std::string& key) {
    bool decides = false;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto) {
        if (key == field.key) decides = field.decides == Decides::Attention;
    });
    return decides;
}

const Axis* SuitePlan::axis(const std::string& key) const {
    const auto found = std::ranges::find(axes, key, &Axis::key);
    return found == axes.end() ? nullptr : &*found;
}

const json* SuitePlan::value(const SuiteJob& job, const std::string& key) const {
    const auto found = std::ranges::find(axes, key, &Axis::key);
    return found == axes.end() ? nullptr : &found->values[job.at[std::size_t(found - axes.begin())]];
}

std::string SuitePlan::text(const SuiteJob& job, const std::string& key) const {
    const json* own = value(job, key);
    return own == nullptr ? std::string() : valueText(*own);
}

json SuitePlan::values(const SuiteJob& job) const {
    json object = json::object();
    for (std::size_t i = 0; i < axes.size(); ++i) object[axes[i].key] = axes[i].values[job.at[i]];
    return object;
}

Result<void> expand(SuitePlan& plan) {
    plan.jobs.clear();
    plan.subjects = 0;
    std::size_t count = 1;
    for (const Axis& axis : plan.axes) {
        count *= axis.values.size();
        if (count > kMostSuiteJobs)
            return Error{ErrorCode::BadUsage,
                         "more than " + std::to_string(kMostSuiteJobs) + " renders: fewer were needed"};
    }
    if (count == 0) return {};
    const bool hasBackends = !plan.axes.empty() && plan.axes.back().key == kBackendAxis;
    const std::size_t ofSubject = hasBackends ? plan.axes.back().values.size() : 1;
    std::vector<std::size_t> ofAttention;
    for (std::size_t i = 0; i < plan.axes.size(); ++i)
        if (decidesAttention(plan.axes[i].key)) ofAttention.push_back(i);
    std::vector<std::size_t> at(plan.axes.size(), 0);
    do {
        std::vector<std::size_t> reference = at;
        for (const std::size_t i : ofAttention) reference[i] = 0;
        plan.jobs.push_back({at, {}, plan.jobs.size() / ofSubject, jobAt(reference, plan.axes)});
        plan.subjects = plan.jobs.back().subject + 1;
    } while (advance(at, plan.axes));
    return {};
}

Result<SuitePlan> suitePlanFrom(const json& file, const std::filesystem::path& folder) {
    // A file that was never written would be the demo model's clip of its own prompt.
    if (file.empty())
        return Error{ErrorCode::BadUsage,
                     "it says nothing, at least one field of a render was needed: \"prompts\", or the "
                     "\"model\" alone"};
    SuitePlan plan;
    json shared = json::object();
    if (auto sorted = sortKeys(file, folder, plan, shared); !sorted) return sorted.error();
    putInOrder(plan.axes);
    if (auto expanded = expand(plan); !expanded) return expanded.error();
    for (const Axis& axis : plan.axes)
        for (const json& value : axis.values)
            if (std::ranges::count(axis.values, value) > 1) return wrong(axis.key, value, "each value once");
    for (SuiteJob& job : plan.jobs) {
        json object = shared;
        for (std::size_t i = 0; i < job.at.size(); ++i)
            object[plan.axes[i].key] = plan.axes[i].values[job.at[i]];
        auto request = protocol::renderRequestFromJson(object);
        if (!request) return request.error();
        job.request = *std::move(request);
    }
    return plan;
}

}  // namespace reelgrid::suite
