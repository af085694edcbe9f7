#include "widgets/video_grid/screen_picture.h"

#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {

namespace {

/// Where each pixel on screen looks at the picture, in luma samples counted from its edge.
std::vector<double> lumaPlaces(double first, double length, int pixels, int samples,
                               ScreenPicture::Pixels how) {
    std::vector<double> places;
    for (int i = 0; i < pixels; ++i) {
        const double at = (first + (i + 0.5) / pixels * length) * samples;
        places.push_back(how == ScreenPicture::Pixels::Squares ? std::floor(at) + 0.5 : at);
    }
    return places;
}

template <class Sample>
void blendRows(const Sample* low, const Sample* high, float part, int count, float* out) {
    if (part == 0 || low == high)
        for (int x = 0; x < count; ++x) out[x] = float(low[x]);
    else
        for (int x = 0; x < count; ++x) out[x] = float(low[x]) + (float(high[x]) - float(low[x])) * part;
}

}  // namespace

ScreenPicture::Axis ScreenPicture::axisOf(const std::vector<double>& luma, double scale, double shift,
                                          int samples) {
    Axis axis;
    for (const double place : luma) {
        const double at = place * scale + shift - 0.5;
        const double low = std::floor(at);
        axis.low.push_back(std::clamp(int(low), 0, samples - 1));
        axis.high.push_back(std::clamp(int(low) + 1, 0, samples - 1));
        axis.part.push_back(float(at - low));
    }
    return axis;
}

ScreenPicture::ScreenPicture(media::FramePtr frame, const QRectF& view, const QSize& size, Pixels pixels)
    : m_frame(std::move(frame)), m_image(size, QImage::Format_RGB32) {
    if (m_image.isNull()) return;
    m_bits = m_image.bits();
    const ChromaSiting siting = chromaSiting(m_frame->layout);
    const auto columns = lumaPlaces(view.x(), view.width(), size.width(), m_frame->width, pixels);
    const auto rows = lumaPlaces(view.y(), view.height(), size.height(), m_frame->height, pixels);
    m_lumaColumns = axisOf(columns, 1, 0, m_frame->y.width);
    m_lumaRows = axisOf(rows, 1, 0, m_frame->y.height);
    m_chromaColumns = axisOf(columns, siting.scaleX, siting.shiftX, m_frame->u.width);
    m_chromaRows = axisOf(rows, siting.scaleY, 0, m_frame->u.height);
}

/// The plane at one row of the screen, at its own columns.
void ScreenPicture::blend(const media::Plane& plane, const Axis& rows, int y, std::vector<float>& out) const {
    const auto i = std::size_t(y);
    const std::uint8_t* low = plane.bytes.data() + std::size_t(plane.stride) * std::size_t(rows.low[i]);
    const std::uint8_t* high = plane.bytes.data() + std::size_t(plane.stride) * std::size_t(rows.high[i]);
    out.resize(std::size_t(plane.width));
    if (m_frame->bitDepth <= 8) return blendRows(low, high, rows.part[i], plane.width, out.data());
    // Little endian, as this program's machines are.
    blendRows(reinterpret_cast<const std::uint16_t*>(low), reinterpret_cast<const std::uint16_t*>(high),
              rows.part[i], plane.width, out.data());
}

void ScreenPicture::drawRows(int from, int to) {
    const YuvToRgb k = yuvToRgb(m_frame->color, m_frame->bitDepth);
    const auto width = std::size_t(m_image.width());
    std::vector<float> row, y(width), u(width), v(width);
    const auto spread = [&](const Axis& columns, std::vector<float>& out) {
        for (std::size_t x = 0; x < width; ++x) {
            const float low = row[std::size_t(columns.low[x])];
            out[x] = low + (row[std::size_t(columns.high[x])] - low) * columns.part[x];
        }
    };
    // 255 · matrix · (sample / maxSample − offset), with what is constant taken together.
    const float scale = 255 / k.maxSample;
    const auto constant = [&](std::size_t first) {
        return 0.5F - 255 * (k.matrix[first] * k.offset[0] + k.matrix[first + 1] * k.offset[1] +
                             k.matrix[first + 2] * k.offset[2]);
    };
    const float red = constant(0), green = constant(3), blue = constant(6);
    const float redY = k.matrix[0] * scale, greenY = k.matrix[3] * scale, blueY = k.matrix[6] * scale,
                redV = k.matrix[2] * scale, greenU = k.matrix[4] * scale, greenV = k.matrix[5] * scale,
                blueU = k.matrix[7] * scale;
    const auto code = [](float value) { return int(std::min(std::max(value, 0.0F), 255.0F)); };
    for (int line = from; line < to; ++line) {
        blend(m_frame->y, m_lumaRows, line, row);
        spread(m_lumaColumns, y);
        blend(m_frame->u, m_chromaRows, line, row);
        spread(m_chromaColumns, u);
        blend(m_frame->v, m_chromaRows, line, row);
        spread(m_chromaColumns, v);
        auto* out = reinterpret_cast<QRgb*>(m_bits + std::ptrdiff_t(line) * m_image.bytesPerLine());
        for (std::size_t x = 0; x < width; ++x) {
            const int r = code(y[x] * redY + v[x] * redV + red);
            const int g = code(y[x] * greenY + u[x] * greenU + v[x] * greenV + green);
            const int b = code(y[x] * blueY + u[x] * blueU + blue);
            out[x] = 0xff000000U | unsigned(r) << 16 | unsigned(g) << 8 | unsigned(b);
        }
    }
}

namespace {

constexpr int kBand = 48;  // rows: small enough to be shared out evenly

struct Band {
    ScreenPicture* picture;
    int from, to;
};

/// Taken one after the other by whoever has time; ended when all are drawn.
struct Bands {
    std::vector<Band> all;
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::condition_variable drawnAll;
    std::size_t drawn = 0;

    void draw() {
        for (std::size_t i = next++; i < all.size(); i = next++) {
            all[i].picture->drawRows(all[i].from, all[i].to);
            const std::scoped_lock lock(mutex);
            if (++drawn == all.size()) drawnAll.notify_all();
        }
    }
};

}  // namespace

void drawAll(const std::vector<ScreenPicture*>& pictures) {
    // Threads that come too late find nothing to do, and that this is still there.
    const auto bands = std::make_shared<Bands>();
    for (ScreenPicture* picture : pictures)
        for (int row = 0; row < picture->image().height(); row += kBand)
            bands->all.push_back({picture, row, std::min(row + kBand, picture->image().height())});
    if (bands->all.empty()) return;
    const int others = std::min(QThreadPool::globalInstance()->maxThreadCount(), int(bands->all.size())) - 1;
    for (int i = 0; i < others; ++i) QThreadPool::globalInstance()->start([bands] { bands->draw(); });
    bands->draw();
    std::unique_lock lock(bands->mutex);
    bands->drawnAll.wait(lock, [&] { return bands->drawn == bands->all.size(); });
}

}  // namespace reelgrid::widgets
