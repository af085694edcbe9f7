#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <memory>

namespace reelgrid::media {

/// Deleter for FFmpeg's free functions, which take a pointer to the pointer.
template <auto Free>
struct FreeBy {
    template <class T>
    void operator()(T* object) const {
        Free(&object);
    }
};

struct FreeScaler {
    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

struct CloseFile {
    void operator()(AVIOContext* file) const { avio_closep(&file); }
};
using FileHandle = std::unique_ptr<AVIOContext, CloseFile>;

/// The file is ours (see openInput): FFmpeg leaves it open.
struct CloseInput {
    void operator()(AVFormatContext* input) const {
        const FileHandle file(input->pb);
        avformat_close_input(&input);
    }
};

using InputHandle = std::unique_ptr<AVFormatContext, CloseInput>;
using CodecHandle = std::unique_ptr<AVCodecContext, FreeBy<avcodec_free_context>>;
using ParametersHandle = std::unique_ptr<AVCodecParameters, FreeBy<avcodec_parameters_free>>;
using FrameHandle = std::unique_ptr<AVFrame, FreeBy<av_frame_free>>;
using PacketHandle = std::unique_ptr<AVPacket, FreeBy<av_packet_free>>;
using GraphHandle = std::unique_ptr<AVFilterGraph, FreeBy<avfilter_graph_free>>;
using ScalerHandle = std::unique_ptr<SwsContext, FreeScaler>;

}  // namespace reelgrid::media
