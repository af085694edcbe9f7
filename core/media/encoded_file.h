#pragma once

#include "core/base/pending_file.h"
#include "core/media/video_sink.h"

namespace reelgrid::media {

/// One encoder and the container around it, written beside the final name. For GIF it takes pictures that
/// have their palette already.
class EncodedFile final : public VideoSink {
  public:
    static Result<std::unique_ptr<EncodedFile>> open(const std::filesystem::path& path,
                                                     const SinkOptions& options, const Encoding& encoding);
    ~EncodedFile() override;

    Result<void> add(AVFrame& picture) override;
    Result<void> finish() override;

  private:
    EncodedFile(PendingFile pending, const SinkOptions& options, const Encoding& encoding);
    Result<void> openEncoder();
    Result<void> openContainer();
    Result<void> writePackets();
    Result<void> addSoundStream();
    /// The sound that begins before this time.
    Result<void> writeSound(double seconds);
    [[nodiscard]] Error writeError(int status) const;

    PendingFile m_pending;
    SinkOptions m_options;
    Encoding m_encoding;
    AVFormatContext* m_output = nullptr;
    AVStream* m_stream = nullptr;
    AVStream* m_soundStream = nullptr;
    CodecHandle m_codec;
    PacketHandle m_packet;
    std::int64_t m_count = 0;
};

}  // namespace reelgrid::media
