#include "widgets/sound/pulse_sink.h"

#include <dlfcn.h>
#include <pulse/error.h>
#include <pulse/simple.h>

#include <string>

#include "core/media/sound_reader.h"

namespace reelgrid::widgets {

namespace {

constexpr const char* kLibrary = "libpulse-simple.so.0";
/// Of sound that waits in the device: short enough to follow the playhead, long enough for a busy machine.
constexpr int kBufferedMilliseconds = 120;
constexpr double kMicroseconds = 1e-6;

/// libpulse-simple's functions, found by name.
struct PulseLibrary {
    decltype(&pa_simple_new) open = nullptr;
    decltype(&pa_simple_free) close = nullptr;
    decltype(&pa_simple_write) write = nullptr;
    decltype(&pa_simple_get_latency) latency = nullptr;
    decltype(&pa_simple_flush) flush = nullptr;
    decltype(&pa_strerror) words = nullptr;

    /// Never unloaded: the library has threads.
    static Result<PulseLibrary> load() {
        void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            return Error{ErrorCode::NotFound,
                         std::string(kLibrary) + ", PulseAudio's library, isn't installed (libpulse0)"};
        PulseLibrary found;
        const auto find = [&](const char* name, auto& into) {
            into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(::dlsym(library, name));
            return into != nullptr;
        };
        if (find("pa_simple_new", found.open) && find("pa_simple_free", found.close) &&
            find("pa_simple_write", found.write) && find("pa_simple_get_latency", found.latency) &&
            find("pa_simple_flush", found.flush) && find("pa_strerror", found.words))
            return found;
        return Error{ErrorCode::Unsupported, std::string(kLibrary) + " lacks a function that is needed"};
    }
};

class PulseSink final : public SoundSink {
  public:
    PulseSink(const PulseLibrary& library, pa_simple* stream) : m_library(library), m_stream(stream) {}
    ~PulseSink() override { m_library.close(m_stream); }

    bool write(std::span<const std::int16_t> samples) override {
        return m_library.write(m_stream, samples.data(), samples.size_bytes(), nullptr) >= 0;
    }
    double latency() override {
        int error = 0;
        const pa_usec_t waiting = m_library.latency(m_stream, &error);
        return error == 0 ? double(waiting) * kMicroseconds : 0;
    }
    void drop() override { m_library.flush(m_stream, nullptr); }

  private:
    PulseLibrary m_library;
    pa_simple* m_stream;
};

}  // namespace

Result<std::unique_ptr<SoundSink>> openPulseSink() {
    const auto library = PulseLibrary::load();
    if (!library) return library.error();
    const pa_sample_spec samples{PA_SAMPLE_S16NE, std::uint32_t(media::SoundReader::kRate),
                                 std::uint8_t(media::SoundReader::kChannels)};
    constexpr auto kOwnChoice = std::uint32_t(-1);
    const auto bytes = std::uint32_t(media::SoundReader::kRate * media::SoundReader::kChannels * 2 *
                                     kBufferedMilliseconds / 1000);
    const pa_buffer_attr buffer{kOwnChoice, bytes, kOwnChoice, kOwnChoice, kOwnChoice};
    int error = 0;
    pa_simple* stream = library->open(nullptr, "ReelGrid", PA_STREAM_PLAYBACK, nullptr, "Clip", &samples,
                                      nullptr, &buffer, &error);
    if (stream == nullptr)
        return Error{ErrorCode::NotFound, std::string("no sound device: ") + library->words(error)};
    return std::unique_ptr<SoundSink>(std::make_unique<PulseSink>(*library, stream));
}

}  // namespace reelgrid::widgets
