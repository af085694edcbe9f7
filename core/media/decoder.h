#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/packet_index.h"

namespace reelgrid::media {

/// A decoder for the packets of `index`, which are `stream`'s, with up to `threads` threads. It says of each
/// packet whether it could decode it, as far as FFmpeg knows. Fails with Unsupported where there is none.
Result<CodecHandle> openDecoder(const AVStream& stream, const PacketIndex& index, int threads);

}  // namespace reelgrid::media
