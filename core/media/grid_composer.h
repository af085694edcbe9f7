#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/clip.h"
#include "core/media/grid_plan.h"
#include "core/media/label_image.h"

namespace reelgrid::media {

/// Paints a plan's grid, frame after frame, as planar YUV in limited range or as planar RGB. What doesn't
/// change from one frame to the next (labels, borders, a clip that holds its frame) is not painted again.
class GridComposer {
  public:
    static Result<GridComposer> create(GridPlan plan, std::vector<std::unique_ptr<Clip>> clips,
                                       AVPixelFormat format, ColorMatrix matrix);

    /// Puts a label above a tile.
    void paintLabel(int tile, const LabelImage& label);
    /// The whole grid at output frame `frame`; valid until the next call.
    Result<AVFrame*> compose(int frame);

  private:
    struct Source {
        std::unique_ptr<Clip> clip;
        int shown = -1;
        ScalerHandle scaler;
        AVPixelFormat format = AV_PIX_FMT_NONE;  // what the scaler takes
        ColorInfo color;
        FrameHandle scaled;
    };

    GridComposer(GridPlan plan, AVPixelFormat format, ColorMatrix matrix);
    [[nodiscard]] std::uint8_t* sampleAt(int plane, int x, int y) const;
    void fill(int plane, int value);
    void copy(const GridTile& tile, const std::uint8_t* const* planes, const int* strides);
    Result<void> paintTile(const GridTile& tile, Source& source, const YuvFrame& frame);
    Result<void> scaleTile(const GridTile& tile, Source& source, const YuvFrame& frame);

    GridPlan m_plan;
    AVPixelFormat m_format;
    ColorInfo m_color;  // of the grid
    int m_chromaWidthShift, m_chromaHeightShift, m_bitDepth;
    std::vector<Source> m_sources;
    FrameHandle m_picture;
};

}  // namespace reelgrid::media
