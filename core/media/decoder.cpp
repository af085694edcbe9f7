#include "core/media/decoder.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/media/av_error.h"
#include "core/media/image_limits.h"

namespace reelgrid::media {

Result<CodecHandle> openDecoder(const AVStream& stream, const PacketIndex& index, int threads) {
    const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
    if (decoder == nullptr)
        return Error{ErrorCode::Unsupported,
                     std::string("no decoder for ") + avcodec_get_name(stream.codecpar->codec_id)};
    CodecHandle codec(avcodec_alloc_context3(decoder));
    if (!codec) return Error{ErrorCode::OutOfMemory, "no memory for a decoder"};
    if (const int status = avcodec_parameters_to_context(codec.get(), stream.codecpar); status < 0)
        return avError("decoder parameters", status);
    // Decoders that work on several frames at a time don't tell which packets they couldn't decode, and may
    // hand a frame over before they know that they made up a part of it. H.264's doesn't tell it with several
    // threads of any kind.
    constexpr std::array kMakeUp{AV_CODEC_ID_H264, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263,
                                 AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO};
    const bool makesUp = std::ranges::find(kMakeUp, stream.codecpar->codec_id) != kMakeUp.end();
    codec->thread_count = makesUp ? 1 : threads;
    if (!index.isExact()) codec->thread_type = FF_THREAD_SLICE;
    // Streams that don't say it themselves would show their first frames in the wrong order.
    codec->has_b_frames = std::max(codec->has_b_frames, index.reorderDelay());
    codec->max_pixels = kMaxPixels;
    // Frames that stand by themselves are told to be damaged rather than mended from what is around it.
    const AVCodecDescriptor* about = avcodec_descriptor_get(stream.codecpar->codec_id);
    const bool isAlwaysExact = about != nullptr && (about->props & AV_CODEC_PROP_LOSSLESS) != 0 &&
                               (about->props & AV_CODEC_PROP_LOSSY) == 0;
    // FFmpeg's reader of TIFF counts tags that it doesn't need as errors, too.
    const bool isTiff = stream.codecpar->codec_id == AV_CODEC_ID_TIFF;
    if (about != nullptr && !isTiff && (isAlwaysExact || (about->props & AV_CODEC_PROP_INTRA_ONLY) != 0))
        codec->err_recognition |= AV_EF_EXPLODE | AV_EF_CRCCHECK;
    // CAVLC slices must end where their bits do.
    if (stream.codecpar->codec_id == AV_CODEC_ID_H264) codec->err_recognition |= AV_EF_AGGRESSIVE;
    codec->pkt_timebase = stream.time_base;
    if (const int status = avcodec_open2(codec.get(), decoder, nullptr); status < 0)
        return avError(std::string("decoder ") + decoder->name, status);
    return codec;
}

}  // namespace reelgrid::media
