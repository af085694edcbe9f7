#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/display.h"
#include "core/media/packet_index.h"
#include "core/media/track_choice.h"

namespace reelgrid::media {

/// The packets of a file's video stream, from any place in decoding order.
class PacketReader {
  public:
    static Result<PacketReader> open(const std::filesystem::path& path);

    [[nodiscard]] const AVStream& stream() const { return *m_input->streams[m_stream]; }
    [[nodiscard]] TrackChoice track() const;
    /// How the stream's pictures are meant to be seen; `frame` is the first of them.
    [[nodiscard]] Display display(AVFrame& frame) const;
    [[nodiscard]] AVRational guessedRate() const;
    /// How long it says that it lasts, from time 0 on; 0 where it doesn't say it of its video alone.
    [[nodiscard]] double saidSeconds() const;

    /// Reads the whole file once; seekTo() needs the index. Leaves the reader at the end. A file that is
    /// known to be cut short is refused.
    Result<PacketIndex> readIndex();

    /// Goes to the first packet of all.
    Result<void> rewind();
    /// Goes to the packet at place `packet` of an exact index, however well the container can seek.
    Result<void> seekTo(const PacketIndex& index, int packet);
    /// The next packet of the video stream; AVERROR_EOF at the end, or another negative code.
    int next(AVPacket& packet);

  private:
    PacketReader(std::filesystem::path path, InputHandle input, int stream);
    void compareWithFile(PacketIndex& index) const;
    bool landsAtOrBefore(const PacketIndex& index, int packet, std::int64_t stamp);
    void selectStream();

    std::filesystem::path m_path;
    InputHandle m_input;
    int m_stream = 0;
    std::int64_t m_headerDuration = AV_NOPTS_VALUE;
    PacketHandle m_held;  // read while looking where a seek had landed
    bool m_holds = false;
    bool m_atStart = true;
};

}  // namespace reelgrid::media
