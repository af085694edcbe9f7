#include "core/media/filter_graph.h"

#include "core/media/av_error.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
}

namespace reelgrid::media {
namespace {

constexpr const char* kOutput = "out";

/// Puts an end before `list`.
void addEnd(AVFilterInOut*& list, const std::string& name, AVFilterContext* filter) {
    AVFilterInOut* end = avfilter_inout_alloc();
    end->name = av_strdup(name.c_str());
    end->filter_ctx = filter;
    end->pad_idx = 0;
    end->next = list;
    list = end;
}

}  // namespace

Result<FilterGraph> FilterGraph::create(const std::string& description,
                                        const std::vector<FilterInput>& inputs) {
    silenceAvLog();
    GraphHandle graph(avfilter_graph_alloc());
    if (!graph) return Error{ErrorCode::OutOfMemory, "no memory for a filter graph"};
    graph->nb_threads = 1;

    AVFilterInOut* sources = nullptr;
    AVFilterInOut* sinks = nullptr;
    int status = 0;
    for (const FilterInput& input : inputs) {
        const std::string arguments =
            "video_size=" + std::to_string(input.width) + "x" + std::to_string(input.height) +
            ":pix_fmt=" + av_get_pix_fmt_name(input.format) + ":time_base=" + std::to_string(input.fps.den) +
            "/" + std::to_string(input.fps.num) + ":frame_rate=" + std::to_string(input.fps.num) + "/" +
            std::to_string(input.fps.den) + ":pixel_aspect=1/1";
        AVFilterContext* source = nullptr;
        status = avfilter_graph_create_filter(&source, avfilter_get_by_name("buffer"), input.name.c_str(),
                                              arguments.c_str(), nullptr, graph.get());
        if (status < 0) break;
        addEnd(sources, input.name, source);
    }
    if (status >= 0) {
        AVFilterContext* sink = nullptr;
        status = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), kOutput, nullptr,
                                              nullptr, graph.get());
        if (status >= 0) addEnd(sinks, kOutput, sink);
    }
    if (status >= 0)
        status = avfilter_graph_parse_ptr(graph.get(), description.c_str(), &sinks, &sources, nullptr);
    avfilter_inout_free(&sources);
    avfilter_inout_free(&sinks);
    if (status >= 0) status = avfilter_graph_config(graph.get(), nullptr);
    if (status < 0) return avError("filter " + description, status);
    return FilterGraph(std::move(graph));
}

Result<void> FilterGraph::send(const std::string& input, AVFrame* picture) {
    AVFilterContext* source = avfilter_graph_get_filter(m_graph.get(), input.c_str());
    const int status = av_buffersrc_add_frame_flags(source, picture, AV_BUFFERSRC_FLAG_KEEP_REF);
    if (status < 0) return avError("filter input " + input, status);
    return {};
}

Result<void> FilterGraph::push(const std::string& input, AVFrame& picture) {
    return send(input, &picture);
}

Result<void> FilterGraph::end(const std::string& input) {
    return send(input, nullptr);
}

Result<FrameHandle> FilterGraph::pull() {
    FrameHandle picture(av_frame_alloc());
    AVFilterContext* sink = avfilter_graph_get_filter(m_graph.get(), kOutput);
    const int status = av_buffersink_get_frame(sink, picture.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return FrameHandle();
    if (status < 0) return avError("filter output", status);
    return picture;
}

}  // namespace reelgrid::media
