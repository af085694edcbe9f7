#include "core/suite/other_suite.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/suite/manifest_part.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;

/// By which jobs are the same.
std::string keyOf(const json& values) {
    return printJson(values);
}

/// What the job's own part of a manifest says together with what all jobs have alike.
Result<std::optional<result::Manifest>> manifestOf(const json& job, const json& alike) {
    const auto own = job.find("manifest");
    if (own == job.end()) return std::optional<result::Manifest>();
    json whole = alike;
    whole.merge_patch(*own);
    auto manifest = result::manifestFromJson(whole);
    if (!manifest) return manifest.error();
    if (!manifest->settings) return std::optional<result::Manifest>();
    return std::optional(comparedPart(*manifest));
}

Result<void> readOtherJob(const json& job, const json& alike, OtherSuite& other) {
    const json axes = job.is_object() ? job.value("axes", json()) : json();
    const json measures = job.is_object() ? job.value("measures", json()) : json();
    if (!axes.is_object() || !measures.is_object())
        return Error{ErrorCode::InvalidData, showJson(job) + ": a job with axes and measures was needed"};
    const auto [place, isNew] = other.jobs.try_emplace(keyOf(axes));
    if (!isNew)
        return Error{ErrorCode::InvalidData, "job " + showJson(axes) + " once more, each once was needed"};
    OtherSuite::Job& read = place->second;
    for (const SuiteMeasure& measure : suiteMeasures()) {
        const auto value = measures.find(measure.key);
        if (value == measures.end() || value->is_null()) continue;  // not measured
        if (!value->is_number() || !isPossible(measure, value->get<double>()))
            return Error{ErrorCode::InvalidData, "job " + showJson(axes) + ": " + measure.key + " " +
                                                     showJson(*value) +
                                                     ", a number that clips have was needed"};
        read.measured[measure.key] = value->get<double>();
    }
    auto manifest = manifestOf(job, alike);
    if (!manifest) return manifest.error().in("job " + showJson(axes));
    read.manifest = *std::move(manifest);
    if (const auto remark = job.find("remark"); remark != job.end() && remark->is_string())
        read.remark = remark->get<std::string>();
    return {};
}

void readFirstValues(const json& axes, OtherSuite& other) {
    for (const json& axis : axes) {
        const json key = axis.is_object() ? axis.value("key", json()) : json();
        const json values = axis.is_object() ? axis.value("values", json()) : json();
        if (key.is_string() && values.is_array() && !values.empty())
            other.firstValues[key.get<std::string>()] = values.front();
    }
}

}  // namespace

const OtherSuite::Job* OtherSuite::find(const SuitePlan& plan, const SuiteJob& job) const {
    const auto found = jobs.find(keyOf(plan.values(job)));
    return found == jobs.end() ? nullptr : &found->second;
}

Result<OtherSuite> readOtherSuite(const std::filesystem::path& file) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    constexpr int kVersion = 1;
    const auto document = readJsonObject(file, kMostBytes, RepeatedKeys::Refused);
    if (!document) return document.error();
    if (const auto version = document->find("version"); version == document->end() || *version != kVersion)
        return Error{ErrorCode::InvalidData,
                     file.string() + ": version is " +
                         (version == document->end() ? "missing" : showJson(*version)) + ", " +
                         std::to_string(kVersion) + " was needed"};
    OtherSuite other{file, {}, {}};
    const auto at = [&](const char* key) -> const json& {
        static const json kNone = json::object();
        const auto found = document->find(key);
        return found == document->end() ? kNone : *found;
    };
    for (const json& job : at("jobs"))
        if (auto read = readOtherJob(job, at("manifest"), other); !read)
            return read.error().in(file.string());
    readFirstValues(at("axes"), other);
    return other;
}

Result<void> requireSameJobs(const SuitePlan& plan, const OtherSuite& other) {
    const auto isThere = [&](const SuiteJob& job) { return other.find(plan, job) != nullptr; };
    if (std::ranges::any_of(plan.jobs, isThere)) return {};
    return Error{ErrorCode::BadUsage,
                 other.file.string() + ": none of its jobs is this suite's, some were needed"};
}

}  // namespace reelgrid::suite
