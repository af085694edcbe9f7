#include "core/media/field_counter.h"

namespace reelgrid::media {

FieldCounter::FieldCounter(const AVCodecParameters& parameters)
    : m_codec(avcodec_alloc_context3(nullptr)), m_parser(av_parser_init(parameters.codec_id)) {
    if (m_codec) avcodec_parameters_to_context(m_codec.get(), &parameters);
    if (m_parser) m_parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

void FieldCounter::add(const AVPacket& packet) {
    ++m_fields;
    if (!m_codec || !m_parser) return;
    m_parser->picture_structure = AV_PICTURE_STRUCTURE_UNKNOWN;
    std::uint8_t* parsed = nullptr;
    int bytes = 0;
    av_parser_parse2(m_parser.get(), m_codec.get(), &parsed, &bytes, packet.data, packet.size, packet.pts,
                     packet.dts, 0);
    if (m_parser->picture_structure == AV_PICTURE_STRUCTURE_FRAME) ++m_fields;
}

}  // namespace reelgrid::media
