#include "core/media/grid_composer.h"

#include <cstring>

#include "core/media/av_error.h"
#include "core/media/scaler.h"
#include "core/media/video_sink.h"

namespace reelgrid::media {
namespace {

constexpr int kBlack = 16;
constexpr int kWhite = 235;
constexpr int kNeutral = 128;

std::uint8_t* sampleAt(const AVFrame& picture, int plane, int x, int y) {
    const int shift = plane == 0 ? 0 : 1;
    return picture.data[plane] + std::ptrdiff_t(y >> shift) * picture.linesize[plane] + (x >> shift);
}

/// Copies a yuv420p picture to (left, top), both even.
void copyPicture(const AVFrame& to, int left, int top, int width, int height,
                 const std::uint8_t* const* planes, const int* strides) {
    for (int plane = 0; plane < 3; ++plane) {
        const int columns = plane == 0 ? width : (width + 1) / 2;
        const int rows = plane == 0 ? height : (height + 1) / 2;
        std::uint8_t* out = sampleAt(to, plane, left, top);
        for (int row = 0; row < rows; ++row)
            std::memcpy(out + std::ptrdiff_t(row) * to.linesize[plane],
                        planes[plane] + std::ptrdiff_t(row) * strides[plane], std::size_t(columns));
    }
}

}  // namespace

Result<GridComposer> GridComposer::create(GridPlan plan, std::vector<std::unique_ptr<Clip>> clips,
                                          ColorMatrix matrix) {
    auto picture = makePicture(plan.width, plan.height, AV_PIX_FMT_YUV420P);
    if (!picture) return picture.error();
    for (int plane = 0; plane < 3; ++plane)
        std::memset((*picture)->data[plane], plane == 0 ? kBlack : kNeutral,
                    std::size_t((*picture)->linesize[plane]) *
                        std::size_t(plane == 0 ? plan.height : (plan.height + 1) / 2));
    GridComposer composer(std::move(plan), matrix);
    composer.m_picture = std::move(*picture);
    for (auto& clip : clips) {
        composer.m_sources.emplace_back();
        composer.m_sources.back().clip = std::move(clip);
    }
    return composer;
}

void GridComposer::paintLabel(int tile, const LabelImage& label) {
    const GridTile& place = m_plan.tiles[std::size_t(tile)];
    for (int row = 0; row < label.height; ++row) {
        std::uint8_t* luma = sampleAt(*m_picture, 0, place.cellLeft, place.labelTop + row);
        const std::uint8_t* coverage = label.coverage.data() + std::ptrdiff_t(row) * label.width;
        for (int column = 0; column < label.width; ++column)
            luma[column] = std::uint8_t(kBlack + (kWhite - kBlack) * coverage[column] / 255);
    }
}

Result<AVFrame*> GridComposer::compose(int frame) {
    // Copies only when an encoder still holds the last one.
    if (const int status = av_frame_make_writable(m_picture.get()); status < 0)
        return avError("picture of the grid", status);
    const double seconds = m_plan.secondsOf(frame);
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        Source& source = m_sources[i];
        const int wanted = m_plan.tiles[i].clip.frameAt(seconds);
        if (wanted == source.shown) continue;
        auto decoded = source.clip->frame(wanted);
        if (!decoded) return decoded.error();
        if (auto painted = paintTile(m_plan.tiles[i], source, **decoded); !painted) return painted.error();
        source.shown = wanted;
    }
    return m_picture.get();
}

Result<void> GridComposer::paintTile(const GridTile& tile, Source& source, const YuvFrame& frame) {
    const bool asItIs = frame.layout == ChromaLayout::Yuv420 && frame.bitDepth == 8 &&
                        frame.color == ColorInfo{m_matrix, ColorRange::Limited} &&
                        frame.width == tile.width && frame.height == tile.height;
    if (!asItIs) return scaleTile(tile, source, frame);
    const std::uint8_t* planes[] = {frame.y.bytes.data(), frame.u.bytes.data(), frame.v.bytes.data()};
    const int strides[] = {frame.y.stride, frame.u.stride, frame.v.stride};
    copyPicture(*m_picture, tile.left, tile.top, tile.width, tile.height, planes, strides);
    return {};
}

/// By way of a picture of its own: swscale may write past the end of a row.
Result<void> GridComposer::scaleTile(const GridTile& tile, Source& source, const YuvFrame& frame) {
    const AVPixelFormat format = pixelFormatOf(frame.layout, frame.bitDepth);
    if (!source.scaler || source.format != format || source.color != frame.color) {
        const ImageSpec from{frame.width, frame.height, format, swsSpaceOf(frame.color.matrix),
                             frame.color.range == ColorRange::Full};
        const ImageSpec to{tile.width, tile.height, AV_PIX_FMT_YUV420P, swsSpaceOf(m_matrix), false};
        if (format == AV_PIX_FMT_NONE)
            return Error{ErrorCode::Unsupported,
                         "pictures of " + std::to_string(frame.bitDepth) + " bits can't be put in a grid"};
        auto scaler = makeScaler(from, to);
        if (!scaler) return scaler.error();
        source.scaler = std::move(*scaler);
        source.format = format;
        source.color = frame.color;
        auto scaled = makePicture(tile.width, tile.height, AV_PIX_FMT_YUV420P);
        if (!scaled) return scaled.error();
        source.scaled = std::move(*scaled);
    }
    const std::uint8_t* planes[4] = {frame.y.bytes.data(), frame.u.bytes.data(), frame.v.bytes.data(),
                                     nullptr};
    const int strides[4] = {frame.y.stride, frame.u.stride, frame.v.stride, 0};
    AVFrame& scaled = *source.scaled;
    const int rows =
        sws_scale(source.scaler.get(), planes, strides, 0, frame.height, scaled.data, scaled.linesize);
    if (rows < 0) return avError("scaling", rows);
    copyPicture(*m_picture, tile.left, tile.top, tile.width, tile.height, scaled.data, scaled.linesize);
    return {};
}

}  // namespace reelgrid::media
