#include "core/perception/telling_apart.h"

#include <cmath>

#include "core/base/result.h"
#include "core/perception/frame_pictures.h"

namespace reelgrid::perception {
namespace {

/// Codes [1, 3, side, side].
struct MadeUpPictures {
    at::Tensor black, waves;
};

MadeUpPictures madeUpPictures(std::int64_t side, at::Device device) {
    constexpr double kHalf = 127.5, kPixelsARadian = 5;
    const at::Tensor waves =
        at::arange(3 * side * side, at::kFloat).div(kPixelsARadian).sin().mul(kHalf).add(kHalf).round();
    const at::Tensor codes = waves.view({1, 3, side, side}).to(device);
    return {at::zeros_like(codes), codes};
}

/// `what`: "pictures".
void requireApart(double distance, const MetricSource& source, const std::string& what) {
    constexpr double kLeast = 1e-6;
    if (distance > kLeast && std::isfinite(distance)) return;
    std::string files;
    for (const std::filesystem::path& part : source.parts)
        files += (files.empty() ? "" : " and ") + part.string();
    const std::string found = std::isfinite(distance) ? "give the same for all " + what
                                                      : "give NaN or infinite numbers for made-up " + what;
    throw Failure(ErrorCode::InvalidData, std::string(metrics::infoOf(source.metric).name) +
                                              ": the weights " + files + " " + found +
                                              ", finite numbers that tell them apart were needed: weights of "
                                              "zeros or that overflow measure nothing");
}

double between(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).to(at::kDouble).norm().item<double>();
}

}  // namespace

void requireTellsApart(const Lpips& network, const MetricSource& source, at::Device device) {
    constexpr std::int64_t kSide = 64;
    const MadeUpPictures made = madeUpPictures(kSide, device);
    requireApart(network.distance(aroundZero(made.black), aroundZero(made.waves)).item<double>(), source,
                 "pictures");
}

void requireTellsApart(const DinoEncoder& network, const MetricSource& source, at::Device device) {
    const MadeUpPictures made = madeUpPictures(network.pictureSide(), device);
    requireApart(between(network.forward(normalisedForDino(made.black)),
                         network.forward(normalisedForDino(made.waves))),
                 source, "pictures");
}

void requireTellsApart(const ClipPair& network, const MetricSource& source, at::Device device) {
    const MadeUpPictures made = madeUpPictures(network.side(), device);
    requireApart(between(network.pictures(normalisedForClip(made.black)),
                         network.pictures(normalisedForClip(made.waves))),
                 source, "pictures");
}

void requireTellsTextsApart(const ClipPair& network, const MetricSource& source) {
    requireApart(between(network.text("a red car").features_D, network.text("the sea at night").features_D),
                 source, "texts");
}

}  // namespace reelgrid::perception
