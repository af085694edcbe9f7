#include "core/media/sound_copy.h"

#include <cmath>

#include "core/media/av_error.h"
#include "core/media/input_file.h"
#include "core/media/sound_stream.h"

namespace reelgrid::media {
SoundCopy::SoundCopy(InputHandle input, int stream, double shiftSeconds, double endSeconds)
    : m_input(std::move(input)), m_stream(stream), m_end(endSeconds), m_packet(av_packet_alloc()) {
    m_shift = std::llround((shiftSeconds - firstPictureSeconds(*m_input)) /
                           av_q2d(m_input->streams[stream]->time_base));
    for (unsigned i = 0; i < m_input->nb_streams; ++i)
        m_input->streams[i]->discard = int(i) == stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

Result<std::shared_ptr<SoundCopy>> SoundCopy::open(const std::filesystem::path& path, double shiftSeconds,
                                                   double endSeconds) {
    auto input = openInput(path);
    if (!input) return input.error().in(path.string());
    if (soundStreamOf(**input) < 0) return std::shared_ptr<SoundCopy>();
    if (const int status = probeStreams(**input); status < 0)
        return avError(path.string() + ": its streams can't be read", status);
    const int stream = soundStreamOf(**input);
    return std::shared_ptr<SoundCopy>(new SoundCopy(std::move(*input), stream, shiftSeconds, endSeconds));
}

const char* SoundCopy::codecName() const {
    return avcodec_get_name(stream().codecpar->codec_id);
}

bool SoundCopy::fitsInto(const char* muxer) const {
    const AVOutputFormat* format = av_guess_format(muxer, nullptr, nullptr);
    return format != nullptr &&
           avformat_query_codec(format, stream().codecpar->codec_id, FF_COMPLIANCE_NORMAL) == 1;
}

/// Holds the next packet that has a time from 0 on.
bool SoundCopy::read() {
    while (!m_isOver) {
        av_packet_unref(m_packet.get());
        if (av_read_frame(m_input.get(), m_packet.get()) < 0) m_isOver = true;
        if (m_isOver || m_packet->stream_index != m_stream) continue;
        if (m_packet->pts == AV_NOPTS_VALUE) m_packet->pts = m_packet->dts;
        if (m_packet->dts == AV_NOPTS_VALUE) m_packet->dts = m_packet->pts;
        if (m_packet->pts == AV_NOPTS_VALUE) continue;
        m_packet->pts += m_shift;
        m_packet->dts += m_shift;
        m_packet->pos = -1;
        if (m_packet->pts >= 0 && m_packet->dts >= 0) return true;
    }
    return false;
}

AVPacket* SoundCopy::next(double seconds) {
    if (!m_holds) m_holds = read();
    if (!m_holds) return nullptr;
    const double begins = double(m_packet->pts) * av_q2d(stream().time_base);
    if (begins >= m_end) m_isOver = true;
    if (begins >= m_end || begins >= seconds) return nullptr;
    m_holds = false;
    return m_packet.get();
}

}  // namespace reelgrid::media
