#include "app/cli/vae_table.h"

#include <algorithm>

#include "app/cli/benched_system.h"
#include "app/cli/console.h"
#include "core/base/byte_count.h"
#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/benchmark/statistics.h"
#include "core/benchmark/synthetic_video.h"

namespace reelgrid::cli {
namespace {

using benchmark::VaePass;
using benchmark::VaeRow;

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t side : shape) text += (text.empty() ? "[" : ", ") + std::to_string(side);
    return text + "]";
}

/// Half the way from the fastest to the slowest, as a share of the median; nothing to say of a single pass.
std::string spreadOf(const VaePass& pass) {
    if (pass.seconds.size() < 2) return "-";
    const auto [least, most] = std::ranges::minmax(pass.seconds);
    return "±" + fixed(50 * (most - least) / benchmark::median(pass.seconds), 1) + " %";
}

constexpr std::size_t kColumns = 11;

std::string figure(const std::optional<double>& value) {
    return value ? fixed(*value, 1) : "-";
}

void addPass(TableLine& line, const VaePass& pass) {
    line.cells.push_back(fixed(benchmark::median(pass.seconds), 3));
    line.cells.push_back(spreadOf(pass));
    line.cells.push_back(pass.peakBytes ? byteCount(*pass.peakBytes) : "-");
}

TableLine lineOf(const VaeRow& row) {
    TableLine line{{row.configuration.name}, ""};
    if (!row.error.empty()) {
        line.cells.resize(kColumns, "-");
        line.remark = "  " + row.error;
        return line;
    }
    addPass(line, row.encode);
    addPass(line, row.decode);
    line.cells.push_back(fixed(row.loadSeconds, 2));
    line.cells.push_back(figure(row.latentsSnr));
    line.cells.push_back(figure(row.decodePsnr));
    line.cells.push_back(figure(row.clipPsnr));
    return line;
}

/// "256 pixels, one each 192"; "360×240 pixels, one each 288×200".
std::string tilesText(const vae::Tiling& tiling) {
    const auto pixels = [&](std::int64_t vae::TileAxis::*of) {
        const std::string rows = std::to_string(tiling.rows.*of);
        return tiling.rows == tiling.columns ? rows : std::to_string(tiling.columns.*of) + "×" + rows;
    };
    return pixels(&vae::TileAxis::tilePixels) + " pixels, one each " + pixels(&vae::TileAxis::stridePixels);
}

std::string passes(int count, const char* kind) {
    return std::to_string(count) + " " + kind + (count == 1 ? " pass" : " passes");
}

}  // namespace

std::string vaeTable(const benchmark::VaeReport& report) {
    std::string text = systemText(report.system) + "\nmodel    " + report.model + ": " + report.weights +
                       ", " + byteCount(report.weightBytes) + "\nvideo    " + shapeText(report.videoShape()) +
                       ": " + benchmark::kSyntheticVideo + "\nlatents  " + shapeText(report.latentsShape()) +
                       ": every configuration decodes those of the first\ntiles    " +
                       tilesText(report.wanted.tiling) + "\npasses   " +
                       passes(report.wanted.warmup, "untimed") + ", " +
                       passes(report.wanted.repetitions, "timed") +
                       "; peaks are memory above what there was "
                       "without the VAE\n\n";
    std::vector<TableLine> lines{{{"configuration", "encode s", "spread", "peak", "decode s", "spread",
                                   "peak", "load s", "latents SNR dB", "decode PSNR dB", "to the clip dB"},
                                  ""}};
    for (const VaeRow& row : report.rows) lines.push_back(lineOf(row));
    text += alignedTable(lines, 1);
    for (const benchmark::AbsentVaeRow& row : report.absent)
        text += "not run: " + row.name + ": " + row.why + "\n";
    return text;
}

}  // namespace reelgrid::cli
