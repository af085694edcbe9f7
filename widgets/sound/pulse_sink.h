#pragma once

#include "widgets/sound/sound_sink.h"

namespace reelgrid::widgets {

/// The desktop's sound: PulseAudio, or PipeWire in its place. Its library is loaded when it is first asked
/// for, so that machines without it run the program all the same. NotFound where the library or a server is
/// missing.
Result<std::unique_ptr<SoundSink>> openPulseSink();

}  // namespace reelgrid::widgets
