#include "core/media/grid_composer.h"

#include <algorithm>
#include <cstring>

#include "core/media/av_error.h"
#include "core/media/scaler.h"
#include "core/media/video_sink.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/pixdesc.h>
}

namespace reelgrid::media {
namespace {

// Of 8 bits in limited range; of RGB 0 and 255.
constexpr int kBlack = 16;
constexpr int kWhite = 235;
constexpr int kNeutral = 128;

}  // namespace

GridComposer::GridComposer(GridPlan plan, AVPixelFormat format, ColorMatrix matrix)
    : m_plan(std::move(plan)), m_format(format) {
    const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(format);
    m_color = {isRgb(format) ? ColorMatrix::Rgb : matrix,
               isRgb(format) ? ColorRange::Full : ColorRange::Limited};
    m_chromaWidthShift = desc.log2_chroma_w;
    m_chromaHeightShift = desc.log2_chroma_h;
    m_bitDepth = desc.comp[0].depth;
}

std::uint8_t* GridComposer::sampleAt(int plane, int x, int y) const {
    const int across = plane == 0 ? 0 : m_chromaWidthShift, down = plane == 0 ? 0 : m_chromaHeightShift;
    return m_picture->data[plane] + std::ptrdiff_t(y >> down) * m_picture->linesize[plane] +
           std::ptrdiff_t(x >> across) * (m_bitDepth > 8 ? 2 : 1);
}

/// Gives every sample of a plane an 8-bit value.
void GridComposer::fill(int plane, int value) {
    const int rows = plane == 0 ? m_plan.height : AV_CEIL_RSHIFT(m_plan.height, m_chromaHeightShift);
    const int columns = plane == 0 ? m_plan.width : AV_CEIL_RSHIFT(m_plan.width, m_chromaWidthShift);
    for (int row = 0; row < rows; ++row) {
        std::uint8_t* line = m_picture->data[plane] + std::ptrdiff_t(row) * m_picture->linesize[plane];
        if (m_bitDepth > 8)
            std::fill_n(reinterpret_cast<std::uint16_t*>(line), columns,
                        std::uint16_t(value << (m_bitDepth - 8)));
        else
            std::memset(line, value, std::size_t(columns));
    }
}

/// Puts a picture of the grid's format in the place of `tile`, whose corner is even.
void GridComposer::copy(const GridTile& tile, const std::uint8_t* const* planes, const int* strides) {
    for (int plane = 0; plane < 3; ++plane) {
        const int columns = plane == 0 ? tile.width : AV_CEIL_RSHIFT(tile.width, m_chromaWidthShift);
        const int rows = plane == 0 ? tile.height : AV_CEIL_RSHIFT(tile.height, m_chromaHeightShift);
        std::uint8_t* out = sampleAt(plane, tile.left, tile.top);
        for (int row = 0; row < rows; ++row)
            std::memcpy(out + std::ptrdiff_t(row) * m_picture->linesize[plane],
                        planes[plane] + std::ptrdiff_t(row) * strides[plane],
                        std::size_t(columns) * (m_bitDepth > 8 ? 2 : 1));
    }
}

Result<GridComposer> GridComposer::create(GridPlan plan, std::vector<std::unique_ptr<Clip>> clips,
                                          AVPixelFormat format, ColorMatrix matrix) {
    auto picture = makePicture(plan.width, plan.height, format);
    if (!picture) return picture.error();
    GridComposer composer(std::move(plan), format, matrix);
    composer.m_picture = std::move(*picture);
    for (int plane = 0; plane < 3; ++plane)
        composer.fill(plane, isRgb(format) ? 0 : plane == 0 ? kBlack : kNeutral);
    for (auto& clip : clips) {
        composer.m_sources.emplace_back();
        composer.m_sources.back().clip = std::move(clip);
    }
    return composer;
}

void GridComposer::paintLabel(int tile, const LabelImage& label) {
    const GridTile& place = m_plan.tiles[std::size_t(tile)];
    const bool rgb = isRgb(m_format);
    const int black = rgb ? 0 : kBlack, white = rgb ? 255 : kWhite;
    for (int plane = 0; plane < (rgb ? 3 : 1); ++plane)
        for (int row = 0; row < label.height; ++row) {
            std::uint8_t* line = sampleAt(plane, place.cellLeft, place.labelTop + row);
            const std::uint8_t* coverage = label.coverage.data() + std::ptrdiff_t(row) * label.width;
            for (int column = 0; column < label.width; ++column) {
                const int value = black + (white - black) * coverage[column] / 255;
                if (m_bitDepth > 8)
                    reinterpret_cast<std::uint16_t*>(line)[column] = std::uint16_t(value << (m_bitDepth - 8));
                else
                    line[column] = std::uint8_t(value);
            }
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
    const bool asItIs = pixelFormatOf(frame) == m_format && frame.color == m_color &&
                        frame.width == tile.width && frame.height == tile.height;
    if (!asItIs) return scaleTile(tile, source, frame);
    const std::uint8_t* planes[] = {frame.y.bytes.data(), frame.u.bytes.data(), frame.v.bytes.data()};
    const int strides[] = {frame.y.stride, frame.u.stride, frame.v.stride};
    copy(tile, planes, strides);
    return {};
}

/// By way of a picture of its own: swscale may write past the end of a row.
Result<void> GridComposer::scaleTile(const GridTile& tile, Source& source, const YuvFrame& frame) {
    const AVPixelFormat format = pixelFormatOf(frame);
    if (!source.scaler || source.format != format || source.color != frame.color) {
        const ImageSpec from{frame.width, frame.height, format, swsSpaceOf(frame.color.matrix),
                             frame.color.range == ColorRange::Full};
        const ImageSpec to{tile.width, tile.height, m_format, swsSpaceOf(m_color.matrix), isRgb(m_format)};
        if (format == AV_PIX_FMT_NONE)
            return Error{ErrorCode::Unsupported,
                         "pictures of " + std::to_string(frame.bitDepth) + " bits can't be put in a grid"};
        auto scaler = makeScaler(from, to);
        if (!scaler) return scaler.error();
        source.scaler = std::move(*scaler);
        source.format = format;
        source.color = frame.color;
        auto scaled = makePicture(tile.width, tile.height, m_format);
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
    copy(tile, scaled.data, scaled.linesize);
    return {};
}

}  // namespace reelgrid::media
