#include "app/cli/captures_table.h"

#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/capture/capture_json.h"

namespace reelgrid::cli {
namespace {

using capture::CapturedCall;
using capture::TensorStatistics;

constexpr std::size_t kNamedOutliers = 5;

std::string shapeText(const at::Tensor& tensor) {
    std::string text;
    for (const std::int64_t size : tensor.sizes()) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
}

std::string placeText(const std::optional<int>& place) {
    return place ? std::to_string(*place) : "-";
}

TableLine lineOf(const char* name, const TensorStatistics& x) {
    const bool some = x.elements > x.nans + x.infinities;
    const auto figure = [&](double value) { return some ? significant(value, 4) : std::string("-"); };
    TableLine line{{name, figure(x.mean), figure(x.deviation), figure(x.low), figure(x.high),
                    std::to_string(x.nans), std::to_string(x.infinities)},
                   {}};
    std::string outliers;
    for (std::size_t i = 0; i < std::min(kNamedOutliers, x.outliers.size()); ++i)
        outliers += (i == 0 ? "" : ", ") + std::to_string(x.outliers[i].head) + ":" +
                    std::to_string(x.outliers[i].channel) + " " + fixed(x.outliers[i].timesMedian, 1) + "×";
    line.cells.push_back(outliers);
    return line;
}

}  // namespace

std::string capturesTable(const std::vector<CapturedCall>& calls) {
    std::vector<TableLine> lines{
        {{"kernel", "module", "branch", "call", "step", "layer", "q", "k", "dtype", "file"}, {}}};
    for (const CapturedCall& call : calls)
        lines.push_back({{call.kernel.empty() ? "-" : call.kernel, call.module.empty() ? "-" : call.module,
                          call.branch.empty() ? "-" : call.branch, std::to_string(call.callIndex),
                          placeText(call.step), placeText(call.layer), shapeText(call.q_BHND),
                          shapeText(call.k_BHMD), capture::dtypeName(call), call.file.filename().string()},
                         {}});
    constexpr std::size_t kTextColumns = 3, kEndOfFigures = 6;
    return alignedTable(lines, kTextColumns, kEndOfFigures);
}

std::string statisticsTable(const CaptureStatistics& statistics) {
    constexpr std::size_t kTextColumns = 1, kEndOfFigures = 7;
    return alignedTable(
        {{{"", "mean", "std", "min", "max", "NaN", "inf", "farthest channels (head:channel)"}, {}},
         lineOf("q", statistics.q),
         lineOf("k", statistics.k),
         lineOf("v", statistics.v)},
        kTextColumns, kEndOfFigures);
}

}  // namespace reelgrid::cli
