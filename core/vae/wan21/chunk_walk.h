#pragma once

// What a chunk of frames takes on its way through the layers, without computing any of them.

#include <cstdint>

#include "core/vae/conv_path.h"
#include "core/vae/memory_walk.h"

namespace reelgrid::vae::wan21 {

/// Goes through the layers as the encoder and the decoder call them, and adds up what lives at once. Bytes.
class ChunkWalk {
  public:
    /// A clip of one frame has one chunk, which nothing came before.
    enum class Clip { OneFrame, Longer };
    ChunkWalk(ConvPath path, std::int64_t elementBytes, Clip clip)
        : m_path(path),
          m_element(elementBytes),
          m_clip(clip),
          m_memory(path == ConvPath::Cudnn ? MemoryWalk::Freed::Gone : MemoryWalk::Freed::Kept) {}

    /// CausalConv3d, ResidualBlock, Upsample, Downsample, AttentionBlock: what comes out.
    Activations conv(const Activations& x, std::int64_t out);
    Activations residualBlock(const Activations& x, std::int64_t out);
    Activations upsample(const Activations& x, std::int64_t out, bool inTime);
    Activations downsample(const Activations& x, bool inTime);
    void attention(const Activations& x);

    /// Something that lives on beside the layers that come, until it is let go.
    void hold(const Activations& x) { m_memory.hold(bytesOf(x)); }
    void letGo(const Activations& x) { m_memory.letGo(bytesOf(x)); }
    /// The sum of two such beside what is held.
    void sum(const Activations& x) { m_memory.note({bytesOf(x), bytesOf(x)}); }

    /// What layers remember from chunk to chunk, and the fullest moment; with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_remembered + m_memory.peak()); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_remembered + m_memory.livePeak()); }

  private:
    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const { return x.values() * m_element; }
    void remember(const Activations& x, std::int64_t frames);
    /// What a 3×3×3 convolution takes at once, its input included; its output, too, where that is new.
    enum class Output { New, OfResidual };
    [[nodiscard]] MemoryWalk::Pieces ofConv(const Activations& x, std::int64_t out, Output output) const;

    ConvPath m_path;
    std::int64_t m_element;
    Clip m_clip;
    MemoryWalk m_memory;
    std::int64_t m_remembered = 0;
};

}  // namespace reelgrid::vae::wan21
