#pragma once

#include <memory>

#include "core/media/av_handles.h"

namespace reelgrid::media {

/// How many frames packets of interlaced H.264 must give, of which some hold a frame and some a field.
class FieldCounter {
  public:
    explicit FieldCounter(const AVCodecParameters& parameters);
    void add(const AVPacket& packet);
    /// Packets that tell nothing, as damaged ones, count as fields.
    [[nodiscard]] int frames() const { return m_fields / 2; }

  private:
    struct CloseParser {
        void operator()(AVCodecParserContext* parser) const { av_parser_close(parser); }
    };
    CodecHandle m_codec;
    std::unique_ptr<AVCodecParserContext, CloseParser> m_parser;
    int m_fields = 0;
};

}  // namespace reelgrid::media
