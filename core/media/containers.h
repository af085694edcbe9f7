#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"

namespace reelgrid::media {

/// The containers that are written. One more is a name here and a row in containers.cpp.
enum class Container { Mp4, WebM, Gif, Mkv };

/// How much of the pictures a file keeps.
enum class Fidelity {
    Usual,    ///< as good as they look
    TenBit,   ///< the same with 10 bits a sample, without bands in skies
    Lossless  ///< every RGB code, or 10 bits of 4:4:4, which tell 8-bit RGB codes apart
};

/// What an encoder is given.
enum class EncodedPictures {
    Yuv420,      ///< planar 4:2:0
    Yuv420Deep,  ///< the same with 10 bits
    Yuv444Deep,  ///< planar 4:4:4 with 10 bits
    Rgb,         ///< 8 bits a colour
    Palette      ///< RGB, with one palette made for all frames
};

/// How a container is written.
struct Encoding {
    Container container = Container::Mp4;
    const char* name = "";     ///< as `--format` takes it
    const char* muxer = "";    ///< FFmpeg's name
    const char* encoder = "";  ///< FFmpeg's name
    EncodedPictures pictures = EncodedPictures::Yuv420;
    const char* encoderSettings = "";
    const char* muxerSettings = "";
    int sideStep = 1;    ///< sides are multiples of this
    int maxRate = 1000;  ///< frames a second
};

/// Whether the header describes the streams, so that none of them must be decoded to find out.
enum class StreamsInHeader { Fully, Partly };
enum class FilePicker { Lists, LeavesOut };
/// What is missing at the end of a file, in words; nothing where it is whole, or can't be known.
/// `pictureBytes`: of a picture as raw video has it.
using EndCheck = std::optional<std::string> (*)(const std::filesystem::path& path, std::int64_t pictureBytes);

/// A container that a clip can be in. No other file is read, whatever it is called.
struct ContainerFormat {
    const char* title = "";      ///< as people call it
    const char* extension = "";  ///< the usual one, with its dot
    const char* demuxer = "";    ///< one of FFmpeg's names for what reads it
    FilePicker picker = FilePicker::LeavesOut;
    StreamsInHeader streams = StreamsInHeader::Partly;
    EndCheck missingEnd = nullptr;                 ///< null: FFmpeg's index tells, or nothing does
    std::optional<Encoding> written{};             ///< nothing: only read
    std::optional<Encoding> tenBit{}, lossless{};  ///< the same at other fidelities, where there are such
};

std::span<const ContainerFormat> containerFormats();
/// BadUsage where the container isn't written at that fidelity.
Result<Encoding> encodingOf(Container container, Fidelity fidelity);
const Encoding& encodingOf(Container container);

/// The container that a file name's extension asks for; Unsupported for any but those that are written.
Result<Container> containerOf(const std::filesystem::path& path);
/// The same for a name such as "webm", as `--format` takes it; BadUsage for any other.
Result<Container> containerNamed(const std::string& name);

/// "MP4, WebM, …": the ones that people know, for a message.
std::string usualContainers();
/// "*.mp4 *.webm …": what a dialog that opens clips lists.
std::string clipPatterns();
/// "MP4 (*.mp4);;WebM (*.webm);;…": what a dialog that saves a clip offers.
std::string writtenPatterns();

}  // namespace reelgrid::media
