#include "app/cli/kept_blocks_file.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace reelgrid::cli {
namespace {

using Color = std::array<std::uint8_t, 3>;

/// The studio's colours of amounts (widgets/charts/heat_map_plot.cpp).
constexpr std::array<Color, 5> kAmounts{
    {{0x1d, 0x1b, 0x3a}, {0x5b, 0x2a, 0x86}, {0xb5, 0x36, 0x7a}, {0xf0, 0x7f, 0x4f}, {0xfc, 0xf0, 0xa4}}};
constexpr Color kLeftOut{0x8a, 0x8f, 0x98};
constexpr double kDynamic = 1e-5;
/// Pixels of the longer side, about.
constexpr std::int64_t kSide = 1024;

/// `share`: 0 to 1.
Color amountColor(double share) {
    const double at = std::clamp(share, 0.0, 1.0) * double(kAmounts.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), kAmounts.size() - 2);
    Color color{};
    for (std::size_t i = 0; i < color.size(); ++i)
        color[i] = static_cast<std::uint8_t>(
            std::lround(std::lerp(kAmounts[below][i], kAmounts[below + 1][i], at - double(below))));
    return color;
}

}  // namespace

Result<MapFileKind> mapFileKindOf(const std::filesystem::path& path) {
    const std::filesystem::path ending = path.extension();
    if (ending == ".json") return MapFileKind::Json;
    if (ending == ".csv") return MapFileKind::Csv;
    if (ending == ".png") return MapFileKind::Png;
    return Error{ErrorCode::BadUsage,
                 "-o " + path.string() + ": an ending of .json, .csv or .png was needed with --map"};
}

media::RgbImage pictureOf(const capture::KeptBlocks& blocks) {
    const std::int64_t grain = std::min(blocks.queriesTogether, blocks.keysTogether);
    const std::int64_t tall = blocks.queriesTogether / grain, wide = blocks.keysTogether / grain;
    const std::int64_t cell =
        std::clamp<std::int64_t>(kSide / std::max(blocks.rows * tall, blocks.columns * wide), 1, 32);
    media::RgbImage image{
        static_cast<int>(blocks.columns * wide * cell), static_cast<int>(blocks.rows * tall * cell), {}};
    double largest = 0;
    for (std::size_t i = 0; i < blocks.weights.size(); ++i)
        if (blocks.kept[i] != 0 && std::isfinite(blocks.weights[i]))
            largest = std::max(largest, blocks.weights[i]);
    for (std::int64_t y = 0; y < image.height; ++y)
        for (std::int64_t x = 0; x < image.width; ++x) {
            const auto at = static_cast<std::size_t>(y / (tall * cell) * blocks.columns + x / (wide * cell));
            const double weight = blocks.weights[at];
            const double powers = weight > 0 ? std::log(weight / largest) / std::log(kDynamic) : 1;
            const Color color = blocks.kept[at] == 0 ? kLeftOut : amountColor(1 - powers);
            image.pixels.insert(image.pixels.end(), color.begin(), color.end());
        }
    return image;
}

}  // namespace reelgrid::cli
