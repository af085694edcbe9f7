#include "core/media/png_picture.h"

#include <cstring>

#include "core/media/av_error.h"
#include "core/media/image_limits.h"
#include "core/media/png/png_header.h"
#include "core/media/png/png_palette.h"
#include "core/media/png/png_rows.h"

namespace reelgrid::media {
namespace {

Error damagedPng(const std::string& what) {
    return {ErrorCode::InvalidData, "it is damaged: " + what};
}

}  // namespace

Result<FrameHandle> decodePng(const std::string& bytes) {
    const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_PNG);
    if (decoder == nullptr) return Error{ErrorCode::Unsupported, "FFmpeg has no decoder for PNG"};
    if (const auto header = pngHeaderOf(bytes))
        if (const auto fault = header->fault()) return damagedPng("its header (IHDR) " + *fault);
    if (const auto fault = pngPaletteOf(bytes).fault) return damagedPng("its palette (PLTE) " + *fault);
    const CodecHandle codec(avcodec_alloc_context3(decoder));
    const PacketHandle packet(av_packet_alloc());
    FrameHandle frame(av_frame_alloc());
    if (!codec || !packet || !frame) return Error{ErrorCode::OutOfMemory, "no memory for a decoder"};
    codec->thread_count = 1;
    codec->max_pixels = kMaxPixels;
    if (const int failed = avcodec_open2(codec.get(), decoder, nullptr); failed < 0)
        return avError(std::string("decoder ") + decoder->name, failed);
    if (const int failed = av_new_packet(packet.get(), int(bytes.size())); failed < 0)
        return avError("a buffer for it", failed);
    std::memcpy(packet->data, bytes.data(), bytes.size());
    int status = avcodec_send_packet(codec.get(), packet.get());
    if (status >= 0) avcodec_send_packet(codec.get(), nullptr);  // there is no more
    if (status >= 0) status = avcodec_receive_frame(codec.get(), frame.get());
    if (status < 0) return Error{ErrorCode::InvalidData, "not a picture that can be decoded as PNG"};
    if (const auto fault = faultOfPngRows(bytes)) return damagedPng("its data (IDAT) " + *fault);
    return frame;
}

}  // namespace reelgrid::media
