// What MotionUnet says of its memory.

#include <algorithm>

#include "core/models/animatediff/unet.h"

namespace reelgrid::models::animatediff {

using unet::PlaceInUnet;
using vae::Activations;
using vae::PictureMemory;
using Way = PlaceInUnet::Way;

Activations MotionUnet::placeBytes(std::size_t index, const Activations& x, PictureMemory& memory) const {
    const PlaceInUnet& where = m_places[index];
    if (where.isLastOfMiddle()) return memory.noteResidualBlock(x, where.out);
    const std::int64_t together = m_framesTogether > 0 ? std::min(m_framesTogether, x.frames) : x.frames;
    const bool inParts = together < x.frames;
    const Activations part = memory.noteResidualBlock(x.ofFrames(together), where.out),
                      y = part.ofFrames(x.frames);
    // Beside a part all that go in, and what the others have become.
    if (inParts) {
        memory.hold(x);
        memory.hold(y);
    }
    if (hasAttention(m_config, where)) SpatialTransformer::forwardBytes(part, memory);
    if (inParts) {
        memory.note({memory.bytesOf(y)});
        memory.letGo(x);
        memory.hold(y);
    }
    if (m_moves[index]) MotionModule::forwardBytes(part, memory);
    if (inParts) {
        memory.letGo(y);
        memory.letGo(y);
    }
    return y;
}

PictureMemory MotionUnet::passBytes(const LatentSize& latents, at::ScalarType dtype,
                                    at::Device device) const {
    PictureMemory memory(dtype, device);
    const Activations in{latents.frames, latents.rows, latents.columns, m_config.inChannels};
    std::vector<Activations> skips{in.with(m_config.blockChannels.front())};
    memory.hold(in);
    memory.hold(skips.back());
    Activations x = skips.back();
    const auto keep = [&](const Activations& made) {
        memory.hold(made);
        skips.push_back(made);
        x = made;
    };
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const PlaceInUnet& where = m_places[i];
        if (where.way == Way::Down) {
            keep(placeBytes(i, x, memory));
            if (!where.changesSize) continue;
            const Activations half{x.frames, (x.rows + 1) / 2, (x.columns + 1) / 2, x.channels};
            memory.endSize(half);
            keep(half);
        } else if (where.way == Way::Middle) {
            x = placeBytes(i, x, memory);
        } else {
            // Beside the two that it joins.
            const Activations joined = x.with(x.channels + skips.back().channels);
            memory.hold(x);
            const Activations made = placeBytes(i, joined, memory);
            memory.letGo(x);
            memory.letGo(skips.back());
            skips.pop_back();
            x = made;
            if (!where.changesSize) continue;
            memory.noteDoublingConv(x);
            x = {x.frames, skips.back().rows, skips.back().columns, x.channels};
        }
    }
    memory.noteNormSilu(x);
    return memory;
}

std::uint64_t MotionUnet::weightBytes(const UnetConfig& config, const MotionConfig& motion,
                                      at::ScalarType dtype, at::Device device, const BlockOptions& blocks) {
    weights::RecordingWeights image, adapter;
    const MotionUnet counted(config, weights::WeightScope(image, at::kFloat), motion,
                             weights::WeightScope(adapter, at::kFloat));
    const auto each = unet::placeWeightBytes(counted.m_places, dtype, device,
                                             [&](const PlaceInUnet& where, const LayerSource& source) {
                                                 return Loader{config, motion, source, source}.place(where);
                                             });
    return unet::unetWeightBytes(vae::pictureWeightBytes(image.requests(), dtype, device) +
                                     vae::pictureWeightBytes(adapter.requests(), dtype, device),
                                 each, blocks);
}

std::uint64_t MotionUnet::passBytesOf(const UnetConfig& config, const MotionConfig& motion,
                                      const LatentSize& latents, at::ScalarType dtype, at::Device device) {
    weights::RecordingWeights none;
    const weights::WeightScope scope(none, at::kFloat);
    return MotionUnet(config, scope, motion, scope).passBytes(latents, dtype, device).peak();
}

}  // namespace reelgrid::models::animatediff
