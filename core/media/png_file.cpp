#include "core/media/png_file.h"

#include <algorithm>
#include <string_view>

#include "core/base/pending_file.h"
#include "core/media/av_error.h"
#include "core/media/av_handles.h"
#include "core/media/image.h"
#include "core/media/rgb_frame.h"

namespace reelgrid::media {
namespace {

Result<PacketHandle> asPng(const AVFrame& rgb) {
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
    if (codec == nullptr) return Error{ErrorCode::Unsupported, "FFmpeg has no PNG encoder"};
    const CodecHandle encoder(avcodec_alloc_context3(codec));
    PacketHandle packet(av_packet_alloc());
    if (encoder == nullptr || packet == nullptr)
        return Error{ErrorCode::OutOfMemory, "a picture found no memory"};
    encoder->width = rgb.width;
    encoder->height = rgb.height;
    encoder->pix_fmt = AV_PIX_FMT_RGB24;
    encoder->time_base = {1, 1};
    int status = avcodec_open2(encoder.get(), codec, nullptr);
    if (status >= 0) status = avcodec_send_frame(encoder.get(), &rgb);
    if (status >= 0) status = avcodec_send_frame(encoder.get(), nullptr);
    if (status >= 0) status = avcodec_receive_packet(encoder.get(), packet.get());
    if (status < 0) return avError("writing a PNG", status);
    return packet;
}

}  // namespace

Result<void> writePng(const AVFrame& rgb, const std::filesystem::path& path) {
    silenceAvLog();
    const auto png = asPng(rgb);
    if (!png) return png.error();
    const AVPacket& bytes = **png;
    return writeFile(path, std::string_view(reinterpret_cast<const char*>(bytes.data),
                                            static_cast<std::size_t>(bytes.size)));
}

Result<void> writePng(const RgbImage& image, const std::filesystem::path& path) {
    const auto frame = rgbFrame(image.width, image.height);
    if (!frame) return frame.error();
    AVFrame& rgb = **frame;
    const auto rowBytes = static_cast<std::size_t>(image.width) * 3;
    for (int y = 0; y < image.height; ++y)
        std::copy_n(image.pixels.data() + static_cast<std::size_t>(y) * rowBytes, rowBytes,
                    rgb.data[0] + static_cast<std::ptrdiff_t>(y) * rgb.linesize[0]);
    return writePng(rgb, path);
}

}  // namespace reelgrid::media
