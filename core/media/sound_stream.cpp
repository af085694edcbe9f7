#include "core/media/sound_stream.h"

namespace reelgrid::media {

double firstPictureSeconds(const AVFormatContext& input) {
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVStream& stream = *input.streams[i];
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && stream.start_time != AV_NOPTS_VALUE)
            return double(stream.start_time) * av_q2d(stream.time_base);
    }
    return 0;
}

int soundStreamOf(const AVFormatContext& input) {
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVCodecParameters& parameters = *input.streams[i]->codecpar;
        if (parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.codec_id != AV_CODEC_ID_NONE)
            return int(i);
    }
    return -1;
}

}  // namespace reelgrid::media
