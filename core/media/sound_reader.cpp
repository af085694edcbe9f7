#include "core/media/sound_reader.h"

extern "C" {
#include <libswresample/swresample.h>
}

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "core/media/av_error.h"
#include "core/media/input_file.h"
#include "core/media/sound_stream.h"

namespace reelgrid::media {
namespace {

using ResamplerHandle = std::unique_ptr<SwrContext, FreeBy<swr_free>>;

/// Rates and channels that a frame may have: a rate of 1 Hz would make hours of a packet.
constexpr int kLeastRate = 4000, kMostRate = 384000, kMostChannels = 64;
constexpr int kMostSamplesOfFrame = 1 << 20;
/// Decoders need a little of what comes before the place that was asked for.
constexpr double kRunUpSeconds = 0.25;
/// Times are rounded in files; what is further apart is a gap.
constexpr std::int64_t kJoinedSamples = SoundReader::kRate / 100;
/// Packets that can't be decoded in a row before the sound counts as ended.
constexpr int kMostBadPackets = 1000;

bool isPlayable(int rate, int channels) {
    return rate >= kLeastRate && rate <= kMostRate && channels >= 1 && channels <= kMostChannels;
}

}  // namespace

struct SoundReader::State {
    InputHandle input;
    int stream = 0;
    CodecHandle codec;
    ResamplerHandle resampler;
    FrameHandle frame{av_frame_alloc()};
    PacketHandle packet{av_packet_alloc()};
    double firstPicture = 0;
    int rate = 0, channels = 0, format = -1;  ///< what the resampler takes
    std::deque<std::int16_t> samples;         ///< decoded, kChannels side by side
    std::int64_t begin = 0;                   ///< of `samples`, in samples from the first picture on
    std::int64_t position = 0;                ///< what is read next
    bool isAnchored = false;                  ///< `begin` is known since the last jump
    bool isOver = false;

    [[nodiscard]] std::int64_t end() const { return begin + std::int64_t(samples.size()) / kChannels; }

    void drop(std::int64_t upTo) {
        const std::int64_t count = std::clamp<std::int64_t>(upTo - begin, 0, end() - begin);
        samples.erase(samples.begin(), samples.begin() + count * kChannels);
        begin += count;
    }

    bool prepareResampler() {
        if (frame->nb_samples <= 0 || frame->nb_samples > kMostSamplesOfFrame ||
            !isPlayable(frame->sample_rate, frame->ch_layout.nb_channels))
            return false;
        if (resampler && frame->sample_rate == rate && frame->format == format &&
            frame->ch_layout.nb_channels == channels)
            return true;
        rate = frame->sample_rate;
        format = frame->format;
        channels = frame->ch_layout.nb_channels;
        AVChannelLayout from{}, to{};
        av_channel_layout_default(&from, channels);
        av_channel_layout_default(&to, kChannels);
        if (frame->ch_layout.order == AV_CHANNEL_ORDER_NATIVE)
            av_channel_layout_copy(&from, &frame->ch_layout);
        SwrContext* made = nullptr;
        const int status = swr_alloc_set_opts2(&made, &to, AV_SAMPLE_FMT_S16, kRate, &from,
                                               AVSampleFormat(format), rate, 0, nullptr);
        resampler.reset(made);
        av_channel_layout_uninit(&from);
        if (status < 0 || swr_init(resampler.get()) < 0) resampler.reset();
        return resampler != nullptr;
    }

    /// Where the frame stands among what was decoded: joined, behind a gap, or over what is there already.
    void placeFrame() {
        const AVStream& own = *input->streams[stream];
        const std::int64_t stamp = frame->best_effort_timestamp;
        if (stamp == AV_NOPTS_VALUE) {
            if (!isAnchored) begin = position;
            isAnchored = true;
            return;
        }
        const double seconds = double(stamp) * av_q2d(own.time_base) - firstPicture;
        const std::int64_t at = std::llround(std::clamp(seconds, -1e6, 1e6) * kRate);
        if (!isAnchored || samples.empty()) {
            if (!isAnchored || std::abs(at - begin) > kJoinedSamples) begin = at;
            isAnchored = true;
        } else if (std::abs(at - end()) > kJoinedSamples) {
            // Behind a gap what was there is played by now, or is none of this place any more.
            samples.clear();
            begin = at;
        }
    }

    void takeFrame() {
        if (!prepareResampler()) return;
        placeFrame();
        const int most = swr_get_out_samples(resampler.get(), frame->nb_samples);
        if (most <= 0) return;
        std::vector<std::int16_t> out(std::size_t(most) * kChannels);
        auto* into = reinterpret_cast<std::uint8_t*>(out.data());
        const int count =
            swr_convert(resampler.get(), &into, most, const_cast<const std::uint8_t**>(frame->extended_data),
                        frame->nb_samples);
        if (count > 0)
            samples.insert(samples.end(), out.begin(), out.begin() + std::ptrdiff_t(count) * kChannels);
    }

    /// Decodes one frame more; false at the end.
    bool decodeMore() {
        for (int bad = 0; !isOver && bad < kMostBadPackets;) {
            const int received = avcodec_receive_frame(codec.get(), frame.get());
            if (received >= 0) {
                takeFrame();
                av_frame_unref(frame.get());
                return true;
            }
            if (received != AVERROR(EAGAIN)) break;
            av_packet_unref(packet.get());
            const int read = av_read_frame(input.get(), packet.get());
            if (read >= 0 && packet->stream_index != stream) continue;
            // An empty packet asks for what the decoder still has.
            if (avcodec_send_packet(codec.get(), read >= 0 ? packet.get() : nullptr) < 0) {
                if (read < 0) break;
                ++bad;
            }
        }
        isOver = true;
        return false;
    }
};

SoundReader::SoundReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
SoundReader::~SoundReader() = default;

Result<std::unique_ptr<SoundReader>> SoundReader::open(const std::filesystem::path& path) {
    silenceAvLog();
    auto state = std::make_unique<State>();
    auto input = openInput(path);
    if (!input) return input.error().in(path.string());
    state->input = *std::move(input);
    if (soundStreamOf(*state->input) < 0) return std::unique_ptr<SoundReader>();
    if (const int status = probeStreams(*state->input); status < 0)
        return avError(path.string() + ": its streams can't be read", status);
    state->stream = soundStreamOf(*state->input);
    state->firstPicture = firstPictureSeconds(*state->input);
    for (unsigned i = 0; i < state->input->nb_streams; ++i)
        state->input->streams[i]->discard = int(i) == state->stream ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    const AVCodecParameters& parameters = *state->input->streams[state->stream]->codecpar;
    const AVCodec* decoder = avcodec_find_decoder(parameters.codec_id);
    if (decoder == nullptr)
        return Error{ErrorCode::Unsupported,
                     path.string() + ": no decoder for its sound, " + avcodec_get_name(parameters.codec_id)};
    if (!isPlayable(parameters.sample_rate, parameters.ch_layout.nb_channels))
        return Error{ErrorCode::Unsupported,
                     path.string() + ": its sound has " + std::to_string(parameters.sample_rate) +
                         " Hz and " + std::to_string(parameters.ch_layout.nb_channels) + " channels; " +
                         std::to_string(kLeastRate) + " to " + std::to_string(kMostRate) + " Hz and 1 to " +
                         std::to_string(kMostChannels) + " were needed"};
    state->codec.reset(avcodec_alloc_context3(decoder));
    if (!state->codec || !state->frame || !state->packet)
        return Error{ErrorCode::OutOfMemory, "no memory for a decoder"};
    if (const int status = avcodec_parameters_to_context(state->codec.get(), &parameters); status < 0)
        return avError(path.string() + ": its sound's parameters", status);
    state->codec->thread_count = 1;
    state->codec->pkt_timebase = state->input->streams[state->stream]->time_base;
    if (const int status = avcodec_open2(state->codec.get(), decoder, nullptr); status < 0)
        return avError(path.string() + ": its sound, " + decoder->name, status);
    return std::unique_ptr<SoundReader>(new SoundReader(std::move(state)));
}

void SoundReader::seek(double seconds) {
    State& state = *m_state;
    state.position = std::llround(std::clamp(seconds, -1e6, 1e6) * kRate);
    // What is decoded already needs no jump.
    if (state.isAnchored && state.position >= state.begin && state.position <= state.end()) return;
    const AVStream& own = *state.input->streams[state.stream];
    const double from = std::max(0.0, seconds - kRunUpSeconds) + state.firstPicture;
    const auto stamp = std::int64_t(std::floor(from / av_q2d(own.time_base)));
    if (av_seek_frame(state.input.get(), state.stream, stamp, AVSEEK_FLAG_BACKWARD) < 0)
        av_seek_frame(state.input.get(), state.stream, stamp, AVSEEK_FLAG_ANY);
    avcodec_flush_buffers(state.codec.get());
    state.resampler.reset();
    state.samples.clear();
    state.isAnchored = state.isOver = false;
}

void SoundReader::read(std::span<std::int16_t> into) {
    State& state = *m_state;
    const std::int64_t stop = state.position + std::int64_t(into.size()) / kChannels;
    std::ranges::fill(into, std::int16_t{0});
    while (state.position < stop) {
        state.drop(state.position);
        if (state.isAnchored && state.begin >= stop) break;  // silence until there
        const std::int64_t from = std::max(state.position, state.begin), to = std::min(state.end(), stop);
        if (state.isAnchored && from < to) {
            const auto place = into.end() - (stop - from) * kChannels;
            std::copy_n(state.samples.begin() + (from - state.begin) * kChannels, (to - from) * kChannels,
                        place);
            state.position = to;
            continue;
        }
        if (!state.decodeMore()) break;
    }
    state.position = stop;
    state.drop(stop);
}

bool SoundReader::ended() const {
    return m_state->isOver && m_state->position >= m_state->end();
}

}  // namespace reelgrid::media
