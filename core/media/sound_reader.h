#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace reelgrid::media {

/// A clip's sound decoded, as loudspeakers take it: kRate samples a second of kChannels channels side by
/// side, by time from the first picture on. Untrusted files. One thread at a time.
class SoundReader {
  public:
    static constexpr int kRate = 48000;
    static constexpr int kChannels = 2;

    /// Null where the file has no sound. Unsupported for a codec without decoder, or a sound of no rate or
    /// number of channels that anybody records with.
    static Result<std::unique_ptr<SoundReader>> open(const std::filesystem::path& path);
    ~SoundReader();
    SoundReader(const SoundReader&) = delete;
    SoundReader& operator=(const SoundReader&) = delete;

    /// What is read next begins at this time, exactly; before the first sample there is silence.
    void seek(double seconds);
    /// Fills `into` (whole samples of all channels) and goes on behind it; where there is no sound, or none
    /// that can be decoded, it is silent.
    void read(std::span<std::int16_t> into);
    /// Whether nothing but silence comes from here on.
    [[nodiscard]] bool ended() const;

  private:
    struct State;
    explicit SoundReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace reelgrid::media
