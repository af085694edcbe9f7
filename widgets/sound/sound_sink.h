#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace reelgrid::widgets {

/// Where sound goes: media::SoundReader's rate and channels. One thread at a time.
class SoundSink {
  public:
    virtual ~SoundSink() = default;
    /// Takes samples of all channels side by side; waits while the device has enough. False: the device is
    /// gone.
    virtual bool write(std::span<const std::int16_t> samples) = 0;
    /// How long what is written now takes to be heard, in seconds.
    virtual double latency() = 0;
    /// Silence at once: what was written and not heard yet is dropped.
    virtual void drop() = 0;
};

/// Opens the device; an error says in one line why there is none.
using SoundSinkOpener = std::function<Result<std::unique_ptr<SoundSink>>()>;

}  // namespace reelgrid::widgets
