#include "core/suite/against_notes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/joined.h"
#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;
using protocol::FieldReader;
using What = NotCompared::What;

constexpr std::size_t kMostFields = 1000;

struct WhatInfo {
    What what;
    const char *name, *phrase;
};
constexpr std::array kWhats{
    WhatInfo{What::All, "all", "not compared"},
    WhatInfo{What::Cost, "cost", "time and memory not compared"},
    WhatInfo{What::Drift, "drift", "what is measured against the reference not compared"},
};

const WhatInfo& infoOf(What what) {
    for (const WhatInfo& info : kWhats)
        if (info.what == what) return info;
    return kWhats.front();
}

/// "'a red car / 1 / fav2'"
std::string nameOfJob(const SuitePlan& plan, std::size_t job) {
    std::vector<std::string> values;
    for (const Axis& axis : plan.axes) values.push_back(plan.text(plan.jobs[job], axis.key));
    return values.empty() ? "the one clip" : "'" + nameInOneLine(joined(values, " / ")) + "'";
}

std::string lineOf(const NotCompared& group, const SuitePlan& plan) {
    std::string line = std::string(infoOf(group.what).phrase) + ": " + nameOfJob(plan, group.jobs.front());
    if (group.jobs.size() > 1) line += " and " + std::to_string(group.jobs.size() - 1) + " more";
    std::vector<std::string> fields;
    for (const FieldDifference& field : group.fields) fields.push_back(textOf(field));
    return line + ": " + joined(fields, "; ");
}

std::string placesLine(const AgainstNotes& notes) {
    if (notes.here.empty() || notes.there.empty()) return {};
    const std::string here = joined(notes.here, " and "), there = joined(notes.there, " and ");
    return here == there ? "rendered on " + here + ", both here and there"
                         : "rendered on " + here + " here, on " + there + " there";
}

json differenceJson(const FieldDifference& difference) {
    json object = {{"field", difference.field}};
    if (!difference.here.is_null()) object["here"] = difference.here;
    if (!difference.there.is_null()) object["there"] = difference.there;
    return object;
}

Result<NotCompared> readGroup(const json& object, std::size_t jobs, const std::string& what) {
    if (!object.is_object())
        return Error{ErrorCode::InvalidData, what + " " + showJson(object) + ": an object was needed"};
    NotCompared group;
    std::string name;
    FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.requireText("what", name);
    const json* indices = fields.array("jobs", kMostSuiteJobs, true);
    const json* differences = fields.array("fields", kMostFields, true);
    if (auto read = fields.finish(); !read) return read.error();
    const auto info = std::ranges::find_if(kWhats, [&](const WhatInfo& each) { return name == each.name; });
    if (info == kWhats.end())
        return Error{ErrorCode::InvalidData,
                     what + ": what " + showJson(name) + ": all, cost or drift was needed"};
    group.what = info->what;
    for (const json& index : *indices) {
        if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= jobs)
            return Error{ErrorCode::InvalidData, what + ": job " + showJson(index) + ": 0 to " +
                                                     std::to_string(jobs - 1) + " was needed"};
        group.jobs.push_back(index.get<std::size_t>());
    }
    if (group.jobs.empty()) return Error{ErrorCode::InvalidData, what + ": jobs []: one was needed"};
    for (const json& difference : *differences) {
        if (!difference.is_object() || !difference.value("field", json()).is_string())
            return Error{ErrorCode::InvalidData,
                         what + ": " + showJson(difference) + ": an object with a field was needed"};
        group.fields.push_back(
            {difference.at("field"), difference.value("here", json()), difference.value("there", json())});
    }
    return group;
}

Result<std::vector<std::string>> readTexts(const json* list, const std::string& what) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        if (!(*list)[i].is_string())
            return Error{ErrorCode::InvalidData, what + " " + showJson((*list)[i]) + ": a text was needed"};
        texts.push_back((*list)[i]);
    }
    return texts;
}

}  // namespace

std::vector<std::string> linesOf(const AgainstNotes& notes, const SuitePlan& plan) {
    constexpr std::size_t kMostLines = 5;
    std::vector<std::string> lines;
    for (const NotCompared& group : notes.notCompared)
        if (lines.size() < kMostLines) lines.push_back(lineOf(group, plan));
    if (notes.notCompared.size() > kMostLines)
        lines.push_back("not compared for further reasons, which suite.json has: " +
                        std::to_string(notes.notCompared.size() - kMostLines));
    if (notes.untold > 0)
        lines.push_back("the other suite.json doesn't say what " + std::to_string(notes.untold) +
                        " of its clips are renders of, as those of earlier versions don't: whether steps, "
                        "sizes and all else were the same can't be told");
    if (notes.otherMachines > 0)
        lines.push_back(std::to_string(notes.otherMachines) +
                        " of the clips were rendered on other machines there: differences in time and memory "
                        "are those machines', too");
    if (std::string places = placesLine(notes); !places.empty()) lines.push_back(std::move(places));
    return lines;
}

json toJson(const AgainstNotes& notes) {
    json object = {{"folder", notes.folder},
                   {"rendered_on", {{"here", notes.here}, {"there", notes.there}}},
                   {"other_machines", notes.otherMachines},
                   {"untold", notes.untold},
                   {"not_compared", json::array()}};
    for (const NotCompared& group : notes.notCompared) {
        json fields = json::array();
        for (const FieldDifference& field : group.fields) fields.push_back(differenceJson(field));
        object["not_compared"].push_back(
            {{"what", infoOf(group.what).name}, {"jobs", group.jobs}, {"fields", std::move(fields)}});
    }
    return object;
}

Result<AgainstNotes> againstNotesFromJson(const json& object, std::size_t jobs) {
    const std::string what = "against_notes";
    AgainstNotes notes;
    std::uint64_t otherMachines = 0, untold = 0;
    const json *here = nullptr, *there = nullptr;
    FieldReader fields(object, what, ErrorCode::InvalidData);
    fields.text("folder", notes.folder, result::kMaxPathBytes);
    fields.integer("other_machines", otherMachines);
    fields.integer("untold", untold);
    const json* groups = fields.array("not_compared", kMostSuiteJobs);
    const json* renderedOn = fields.object("rendered_on");
    if (auto read = fields.finish(); !read) return read.error();
    notes.otherMachines = otherMachines;
    notes.untold = untold;
    if (renderedOn != nullptr) {
        FieldReader places(*renderedOn, what + ": rendered_on", ErrorCode::InvalidData);
        here = places.array("here", kMostSuiteJobs);
        there = places.array("there", kMostSuiteJobs);
        if (auto read = places.finish(); !read) return read.error();
    }
    for (const auto& [list, texts] : {std::pair{here, &notes.here}, std::pair{there, &notes.there}}) {
        auto read = readTexts(list, what + ": rendered_on");
        if (!read) return read.error();
        *texts = *std::move(read);
    }
    for (std::size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
        auto group = readGroup((*groups)[i], jobs, what + ": not_compared " + std::to_string(i + 1));
        if (!group) return group.error();
        notes.notCompared.push_back(*std::move(group));
    }
    return notes;
}

}  // namespace reelgrid::suite
