#include "app/cli/captures_table.h"

#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/capture/capture_json.h"

namespace reelgrid::cli {
namespace {

using capture::CapturedCall;
using capture::TensorStatistics;

constexpr std::size_t kNamedOutliers = 5;
constexpr std::ptrdiff_t kKeptColumn = 6;  ///< the first behind the figures

std::string keptPercent(double share) {
    return fixed(100 * share, 1) + " %";
}

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

std::string capturesTable(const std::vector<CapturedCall>& calls,
                          const std::vector<std::optional<capture::KeptShares>>& kept) {
    std::vector<TableLine> lines{
        {{"kernel", "module", "branch", "call", "step", "layer", "q", "k", "dtype", "file"}, {}}};
    if (!kept.empty()) lines.front().cells.insert(lines.front().cells.begin() + kKeptColumn, "kept");
    for (const CapturedCall& call : calls) {
        lines.push_back({{call.kernel.empty() ? "-" : call.kernel, call.module.empty() ? "-" : call.module,
                          call.branch.empty() ? "-" : call.branch, std::to_string(call.callIndex),
                          placeText(call.step), placeText(call.layer), shapeText(call.q_BHND),
                          shapeText(call.k_BHMD), capture::dtypeName(call), call.file.filename().string()},
                         {}});
        if (kept.empty()) continue;
        const auto& shares = kept[lines.size() - 2];
        lines.back().cells.insert(lines.back().cells.begin() + kKeptColumn,
                                  shares ? keptPercent(shares->mean()) : "-");
    }
    constexpr std::size_t kTextColumns = 3;
    return alignedTable(lines, kTextColumns, kept.empty() ? kKeptColumn : kKeptColumn + 1);
}

std::string keptText(const capture::KeptBlocks& blocks) {
    std::string text = blocks.backend + " keeps " + keptPercent(blocks.keptShare) + " of the pairs of " +
                       std::to_string(blocks.rows) + " blocks of " + std::to_string(blocks.queriesTogether) +
                       " queries and " + std::to_string(blocks.columns) + " of " +
                       std::to_string(blocks.keysTogether) + " keys in head " + std::to_string(blocks.head) +
                       ", which hold " + keptPercent(blocks.keptWeight) + " of the weight (" +
                       std::to_string(blocks.queriesPerBlock) + " of each block's queries computed)\nheads:";
    for (const double share : blocks.keptShareOfHead) text += " " + keptPercent(share);
    return text;
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
