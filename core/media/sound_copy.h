#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// The packets of a clip's sound, undecoded, on another clip's time axis.
class SoundCopy {
  public:
    /// Null where the file has no sound. `shiftSeconds` is added to times, which count from the first picture
    /// on; what then begins before 0 or at `endSeconds` or later is left out.
    static Result<std::shared_ptr<SoundCopy>> open(const std::filesystem::path& path, double shiftSeconds,
                                                   double endSeconds);

    [[nodiscard]] const AVStream& stream() const { return *m_input->streams[m_stream]; }
    /// The codec's name, for a message.
    [[nodiscard]] const char* codecName() const;
    /// Whether a container of FFmpeg's name takes it as it is.
    [[nodiscard]] bool fitsInto(const char* muxer) const;

    /// The next packet, if it begins before `seconds`, in the stream's time base; null: there is none yet, or
    /// none any more. A file that can't be read further ends.
    AVPacket* next(double seconds);

  private:
    SoundCopy(InputHandle input, int stream, double shiftSeconds, double endSeconds);
    bool read();

    InputHandle m_input;
    int m_stream;
    std::int64_t m_shift;  ///< in the stream's time base
    double m_end;
    PacketHandle m_packet;
    bool m_holds = false, m_isOver = false;
};

}  // namespace reelgrid::media
