#include "core/suite/row_check.h"

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/result/clip_result.h"

namespace reelgrid::suite {

std::string otherThanAsked(const SuiteResult& suite, const SuiteRow& row) {
    const auto settings = result::readClipResult(row.clip).manifest.settings;
    if (!settings) return {};
    const nlohmann::json ran = protocol::fieldsJson(*settings);
    const SuiteJob& job = suite.plan.jobs[row.job];
    for (const Axis& axis : suite.plan.axes) {
        // Lists and objects may be written in several ways, and so may files.
        const bool isPlain =
            axis.key == "prompt" || axis.key == "negative_prompt" || axis.key == kBackendAxis;
        const nlohmann::json& asked = *suite.plan.value(job, axis.key);
        const auto found = ran.find(axis.key);
        if (found == ran.end() || (!asked.is_number() && !isPlain) || *found == asked) continue;
        return nameInOneLine(axis.key) + " " + showJson(*found) + ", where " + showJson(asked) +
               " was asked for";
    }
    return {};
}

}  // namespace reelgrid::suite
