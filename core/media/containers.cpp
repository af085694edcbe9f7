#include "core/media/containers.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

/// Near-transparent quality at a speed that doesn't outlast a small model's render. x264's macroblock tree is
/// off because it reads memory that it hasn't written: the same frames would give other files now and then.
/// 4:2:0 H.264 has even sides only.
constexpr Encoding kMp4{.container = Container::Mp4,
                        .name = "mp4",
                        .muxer = "mp4",
                        .encoder = "libx264",
                        .encoderSettings = "preset=fast:crf=17:x264-params=mbtree=0",
                        .muxerSettings = "movflags=+faststart",
                        .sideStep = 2};
constexpr Encoding kTenBitMp4{.container = Container::Mp4,
                              .name = "mp4",
                              .muxer = "mp4",
                              .encoder = "libx264",
                              .pictures = EncodedPictures::Yuv420Deep,
                              .encoderSettings = kMp4.encoderSettings,
                              .muxerSettings = kMp4.muxerSettings,
                              .sideStep = 2};
constexpr Encoding kLosslessMp4{.container = Container::Mp4,
                                .name = "mp4",
                                .muxer = "mp4",
                                .encoder = "libx264",
                                .pictures = EncodedPictures::Yuv444Deep,
                                .encoderSettings = "preset=fast:qp=0:x264-params=mbtree=0",
                                .muxerSettings = kMp4.muxerSettings};
/// Golomb-Rice codes are read twice as fast as the range coder's, for a tenth of the size more.
constexpr Encoding kMkv{.container = Container::Mkv,
                        .name = "mkv",
                        .muxer = "matroska",
                        .encoder = "ffv1",
                        .pictures = EncodedPictures::Rgb,
                        .encoderSettings = "level=3:coder=rice:context=0:g=1:slicecrc=1"};
constexpr Encoding kWebM{.container = Container::WebM,
                         .name = "webm",
                         .muxer = "webm",
                         .encoder = "libvpx-vp9",
                         .encoderSettings = "crf=22:b=0:deadline=good:cpu-used=3:row-mt=1:tile-columns=2"};
/// Browsers slow a GIF with shorter delays than 20 ms down to 10 frames a second.
constexpr Encoding kGif{.container = Container::Gif,
                        .name = "gif",
                        .muxer = "gif",
                        .encoder = "gif",
                        .pictures = EncodedPictures::Palette,
                        .maxRate = 50};

/// A check that goes by the file alone.
template <auto check>
std::optional<std::string> byFile(const std::filesystem::path& path, std::int64_t /*pictureBytes*/) {
    return check(path);
}

using enum FilePicker;
using enum StreamsInHeader;

/// Where rows share a demuxer the first of them speaks for what is read, so they agree on that.
constexpr std::array kFormats{
    ContainerFormat{"MP4", ".mp4", "mov", Lists, Fully, byFile<missingEndOfMp4>, kMp4, kTenBitMp4,
                    kLosslessMp4},
    ContainerFormat{"WebM", ".webm", "matroska", Lists, Fully, byFile<missingEndOfMatroska>, kWebM},
    ContainerFormat{"GIF", ".gif", "gif", Lists, Partly, byFile<missingEndOfGif>, kGif},
    ContainerFormat{
        "Matroska", ".mkv", "matroska", Lists, Fully, byFile<missingEndOfMatroska>, kMkv, {}, kMkv},
    ContainerFormat{"QuickTime", ".mov", "mov", Lists, Fully, byFile<missingEndOfMp4>},
    ContainerFormat{"AVI", ".avi", "avi", Lists, Partly, byFile<missingEndOfAvi>},
    ContainerFormat{"MPEG transport stream", ".ts", "mpegts", LeavesOut, Partly,
                    byFile<missingEndOfTransportStream>},
    ContainerFormat{"MPEG program stream", ".mpg", "mpeg", LeavesOut, Partly,
                    byFile<missingPartsOfProgramStream>},
    ContainerFormat{"Flash Video", ".flv", "flv", LeavesOut, Partly, byFile<missingEndOfFlv>},
    ContainerFormat{"Ogg", ".ogv", "ogg", LeavesOut, Partly, byFile<missingEndOfOgg>},
    ContainerFormat{"Windows Media", ".wmv", "asf", LeavesOut, Partly, byFile<missingEndOfAsf>},
    ContainerFormat{"MXF", ".mxf", "mxf", LeavesOut, Partly, byFile<missingEndOfMxf>},
    ContainerFormat{"NUT", ".nut", "nut", LeavesOut, Partly, byFile<missingEndOfNut>},
    ContainerFormat{"animated PNG", ".apng", "apng", LeavesOut, Partly, byFile<missingEndOfApng>},
    ContainerFormat{"YUV4MPEG", ".y4m", "yuv4mpegpipe", LeavesOut, Partly, missingEndOfY4m},
    ContainerFormat{"IVF", ".ivf", "ivf", LeavesOut, Partly, byFile<missingEndOfIvf>},
    ContainerFormat{"AV1 stream", ".obu", "obu", LeavesOut, Partly, byFile<missingBeginOfAv1>},
    ContainerFormat{"H.264 stream", ".h264", "h264", LeavesOut, Partly, byFile<missingPartsOfNalUnits>},
    ContainerFormat{"HEVC stream", ".h265", "hevc", LeavesOut, Partly, byFile<missingPartsOfNalUnits>},
    ContainerFormat{"MPEG-4 stream", ".m4v", "m4v", LeavesOut, Partly, byFile<missingBeginOfStartCodes>},
    ContainerFormat{"MPEG video stream", ".m2v", "mpegvideo", LeavesOut, Partly,
                    byFile<missingBeginOfStartCodes>},
    ContainerFormat{"Motion JPEG stream", ".mjpeg", "mjpeg", LeavesOut, Partly,
                    byFile<missingPartsOfMotionJpeg>},
    ContainerFormat{"DV", ".dv", "dv", LeavesOut, Partly, byFile<missingEndOfDv>},
};

/// `say(format)` of those that `choose(format)`, with `between` between them.
template <class Choose, class Say>
std::string joined(Choose choose, Say say, const std::string& between) {
    std::string all;
    for (const ContainerFormat& format : kFormats) {
        if (!choose(format)) continue;
        if (!all.empty()) all += between;
        all += say(format);
    }
    return all;
}

bool isListed(const ContainerFormat& format) {
    return format.picker == Lists;
}
bool isWritten(const ContainerFormat& format) {
    return format.written.has_value();
}

}  // namespace

std::span<const ContainerFormat> containerFormats() {
    return kFormats;
}

Result<Encoding> encodingOf(Container container, Fidelity fidelity) {
    const auto at = [fidelity](const ContainerFormat& format) {
        return fidelity == Fidelity::Lossless ? format.lossless
               : fidelity == Fidelity::TenBit ? format.tenBit
                                              : format.written;
    };
    for (const ContainerFormat& format : kFormats)
        if (format.written && format.written->container == container && at(format)) return *at(format);
    return Error{ErrorCode::BadUsage,
                 std::string(encodingOf(container).name) + " isn't written " +
                     (fidelity == Fidelity::Lossless ? "without loss" : "with 10 bits") + ": one of " +
                     joined([&](const auto& format) { return at(format).has_value(); },
                            [](const auto& format) { return format.written->name; }, ", ") +
                     " was needed"};
}

const Encoding& encodingOf(Container container) {
    for (const ContainerFormat& format : kFormats)
        if (format.written && format.written->container == container) return *format.written;
    throw Failure(ErrorCode::Internal, "a container has no row in the list");
}

Result<Container> containerOf(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return char(std::tolower(c)); });
    for (const ContainerFormat& format : kFormats)
        if (format.written && format.extension == extension) return format.written->container;
    return Error{ErrorCode::Unsupported,
                 path.string() + ": the name ends in \"" + extension + "\", one of " +
                     joined(
                         isWritten, [](const auto& format) { return format.extension; }, ", ") +
                     " was needed"};
}

Result<Container> containerNamed(const std::string& name) {
    for (const ContainerFormat& format : kFormats)
        if (format.written && format.written->name == name) return format.written->container;
    return Error{ErrorCode::BadUsage,
                 name + ": one of " +
                     joined(
                         isWritten, [](const auto& format) { return format.written->name; }, ", ") +
                     " was needed"};
}

std::string usualContainers() {
    return joined(
        isListed, [](const auto& format) { return format.title; }, ", ");
}

std::string clipPatterns() {
    return joined(
        isListed, [](const auto& format) { return std::string("*").append(format.extension); }, " ");
}

std::string writtenPatterns() {
    return joined(
        isWritten,
        [](const auto& format) {
            return std::string(format.title).append(" (*").append(format.extension).append(")");
        },
        ";;");
}

}  // namespace reelgrid::media
