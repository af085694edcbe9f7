#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/frame.h"

namespace reelgrid::media {

/// One input of a graph; its stamps count frames of `fps`.
struct FilterInput {
    std::string name;
    int width = 0;
    int height = 0;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    Rational fps{25, 1};
};

/// A libavfilter graph with named inputs and one output called "out".
class FilterGraph {
  public:
    /// `description` is in FFmpeg's filter syntax, where many characters have a meaning: never make it from
    /// words that come from outside.
    static Result<FilterGraph> create(const std::string& description, const std::vector<FilterInput>& inputs);

    /// Queues a picture (shared, not copied).
    Result<void> push(const std::string& input, AVFrame& picture);
    Result<void> end(const std::string& input);
    /// The next picture that is ready, or null.
    Result<FrameHandle> pull();

  private:
    explicit FilterGraph(GraphHandle graph) : m_graph(std::move(graph)) {}
    Result<void> send(const std::string& input, AVFrame* picture);

    GraphHandle m_graph;
};

}  // namespace reelgrid::media
