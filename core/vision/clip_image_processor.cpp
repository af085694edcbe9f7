#include "core/vision/clip_image_processor.h"

#include <algorithm>
#include <string>

#include "core/media/resample.h"

namespace reelgrid::vision {
namespace {

constexpr std::int64_t kMaxSide = 4096;

std::array<double, 3> perColor(const weights::ModelConfig& config, const char* key,
                               const std::array<double, 3>& usual) {
    if (!config.has(key)) return usual;
    const auto values = config.numbers(key);
    if (values.size() != 3) config.invalid(key, "three numbers");
    return {values[0], values[1], values[2]};
}

/// {"height", "width"}, or one number for both.
media::PictureSize sizeAt(const weights::ModelConfig& config, const char* key) {
    if (config.isObject(key)) {
        const weights::ModelConfig size = config.object(key);
        return {int(size.positive("width", kMaxSide)), int(size.positive("height", kMaxSide))};
    }
    const int side = int(config.positive(key, kMaxSide));
    return {side, side};
}

}  // namespace

ClipImageProcessor::ClipImageProcessor(const weights::ModelConfig& config) {
    constexpr std::int64_t kBicubic = 3;
    // Here null means the usual, unlike in the models' configurations.
    const auto isOn = [&](const char* key) { return !config.has(key) || config.flagOr(key, true); };
    if (config.positiveOr("resample", kBicubic) != kBicubic) config.unsupported("resample", "3 (bicubic)");
    for (const char* key : {"do_rescale", "do_normalize"})
        if (!isOn(key)) config.unsupported(key, "true");
    if (!isOn("do_resize")) {
        m_resize = Resize::No;
    } else if (config.isObject("size") && config.object("size").has("shortest_edge")) {
        const int edge = int(config.object("size").positive("shortest_edge", kMaxSide));
        m_size = {edge, edge};
    } else if (config.has("size")) {
        // A number alone has always meant the shortest edge.
        m_resize = config.isObject("size") ? Resize::Both : Resize::ShortestEdge;
        m_size = sizeAt(config, "size");
    }
    m_centerCrop = isOn("do_center_crop");
    if (config.has("crop_size")) m_crop = sizeAt(config, "crop_size");
    m_rescale = config.numberOr("rescale_factor", m_rescale);
    m_mean = perColor(config, "image_mean", m_mean);
    m_std = perColor(config, "image_std", m_std);
    for (const double deviation : m_std)
        if (!(deviation > 0)) config.invalid("image_std", "numbers above 0");
}

at::Tensor ClipImageProcessor::pixels(const media::RgbImage& image) const {
    media::RgbImage out = image;
    if (m_resize == Resize::Both) out = media::resized(image, m_size, media::Filter::Bicubic);
    if (m_resize == Resize::ShortestEdge) {
        const std::int64_t edge = m_size.width;
        const auto longer = [&](int side, int shortest) { return int(edge * side / shortest); };
        const media::PictureSize size =
            image.width <= image.height ? media::PictureSize{int(edge), longer(image.height, image.width)}
                                        : media::PictureSize{longer(image.width, image.height), int(edge)};
        out = media::resized(image, size, media::Filter::Bicubic);
    }
    if (m_centerCrop) out = media::middleOf(out, m_crop);
    const at::Tensor bytes_YX3 =
        at::from_blob(out.pixels.data(), {out.height, out.width, 3}, at::kByte).to(at::kDouble);
    const auto perColor = [](const std::array<double, 3>& values) {
        return at::tensor(at::ArrayRef<double>(values), at::kDouble);
    };
    return ((bytes_YX3 * m_rescale).to(at::kFloat).to(at::kDouble) - perColor(m_mean))
        .div(perColor(m_std))
        .to(at::kFloat)
        .permute({2, 0, 1})
        .unsqueeze(0)
        .contiguous();
}

at::Tensor ClipImageProcessor::normalised(const at::Tensor& pictures_N3YX) const {
    const auto perColor = [](const std::array<double, 3>& values) {
        return at::tensor(at::ArrayRef<double>(values), at::kDouble).view({1, 3, 1, 1});
    };
    return (pictures_N3YX.to(at::kDouble) - perColor(m_mean)).div(perColor(m_std)).to(at::kFloat);
}

}  // namespace reelgrid::vision
