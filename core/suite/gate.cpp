#include "core/suite/gate.h"

#include <charconv>

#include "core/base/number_text.h"
#include "core/base/one_line.h"

namespace reelgrid::suite {
namespace {

bool readNumber(const std::string& text, double& number) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size();
}

Error wrongGate(const std::string& text) {
    std::string keys;
    for (const SuiteMeasure& measure : suiteMeasures())
        keys += (keys.empty() ? "" : ", ") + std::string(measure.key);
    return {ErrorCode::BadUsage,
            "--gate " + inOneLine(text) +
                ": MEASURE>=NUMBER@PERCENT% or MEASURE<=NUMBER@PERCENT% (as psnr>=40@95%; without @ "
                "all clips) was needed, the measure one of " +
                keys};
}

}  // namespace

Result<Gate> gateFrom(const std::string& text) {
    Gate gate;
    gate.text = text;
    const auto sign = text.find_first_of("<>");
    if (sign == std::string::npos || sign + 1 >= text.size() || text[sign + 1] != '=') return wrongGate(text);
    gate.key = text.substr(0, sign);
    gate.better = text[sign] == '>' ? Better::Higher : Better::Lower;
    std::string number = text.substr(sign + 2);
    if (const auto at = number.find('@'); at != std::string::npos) {
        std::string percent = number.substr(at + 1);
        number.resize(at);
        if (!percent.ends_with('%')) return wrongGate(text);
        percent.pop_back();
        if (!readNumber(percent, gate.percent) || !(gate.percent > 0) || gate.percent > 100)
            return wrongGate(text);
    }
    const SuiteMeasure* measure = suiteMeasure(gate.key);
    if (measure == nullptr || !readNumber(number, gate.value)) return wrongGate(text);
    const auto [least, most] = measure->range;
    if (!(gate.value >= least && gate.value <= most))  // and not NaN
        return Error{ErrorCode::BadUsage, "--gate " + inOneLine(text) + ": for " + measure->title +
                                              " a number from " + significant(least, 3) + " to " +
                                              significant(most, 3) + " was needed"};
    return gate;
}

}  // namespace reelgrid::suite
