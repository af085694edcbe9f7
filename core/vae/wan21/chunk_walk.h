#pragma once

// What a chunk of frames takes on its way through the layers, without computing any of them.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace reelgrid::vae::wan21 {

/// By what a layer's convolutions are computed, which decides what they need beside input and output.
enum class ConvPath {
    Winograd,  ///< kernels/cpu/vae: the activation within, the residual's memory becomes the output
    Libtorch,  ///< an activated copy, and the three taps side by side
    Cudnn,     ///< a copy with the history before it, and cuDNN's own workspace
};
ConvPath convPathOf(at::ScalarType dtype, at::Device device);

/// Activations of one layer.
struct Activations {
    std::int64_t frames = 0, rows = 0, columns = 0, channels = 0;

    [[nodiscard]] std::int64_t pixels() const { return frames * rows * columns; }
    [[nodiscard]] Activations with(std::int64_t otherChannels) const {
        return {frames, rows, columns, otherChannels};
    }
};

/// Goes through the layers as the encoder and the decoder call them, and adds up what lives at once. Bytes.
class ChunkWalk {
  public:
    /// A clip of one frame has one chunk, which nothing came before.
    enum class Clip { OneFrame, Longer };
    ChunkWalk(ConvPath path, std::int64_t elementBytes, Clip clip)
        : m_path(path), m_element(elementBytes), m_clip(clip) {}

    /// CausalConv3d, ResidualBlock, Upsample, Downsample, AttentionBlock: what comes out.
    Activations conv(const Activations& x, std::int64_t out);
    Activations residualBlock(const Activations& x, std::int64_t out);
    Activations upsample(const Activations& x, std::int64_t out, bool inTime);
    Activations downsample(const Activations& x, bool inTime);
    void attention(const Activations& x);

    /// The layers of one size have ended with x. On the CPU what they freed stays with the C library: its
    /// pieces are too small for the wider layers that come.
    void endSize(const Activations& x);

    /// Something that lives on beside the layers that come, until it is let go.
    void hold(const Activations& x) { m_held += bytesOf(x); }
    void letGo(const Activations& x) { m_held -= bytesOf(x); }
    /// The sum of two such beside what is held.
    void sum(const Activations& x) { note({bytesOf(x), bytesOf(x)}); }

    /// What layers remember from chunk to chunk, and the fullest moment; with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_remembered + m_most); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_remembered + m_mostLive); }

  private:
    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const {
        return x.pixels() * x.channels * m_element;
    }
    void remember(const Activations& x, std::int64_t frames);
    /// A moment: the sizes of what lives at once beside what is held and remembered.
    using Pieces = std::vector<std::int64_t>;
    void note(const Pieces& pieces);
    /// What a 3×3×3 convolution takes at once, its input included; its output, too, where that is new.
    enum class Output { New, OfResidual };
    [[nodiscard]] Pieces ofConv(const Activations& x, std::int64_t out, Output output) const;
    /// kernels/cpu/vae's, of all threads.
    [[nodiscard]] std::int64_t scratchBytes(const Activations& out, std::int64_t in,
                                            std::int64_t timeTaps) const;

    ConvPath m_path;
    std::int64_t m_element;
    Clip m_clip;
    std::int64_t m_held = 0, m_remembered = 0, m_most = 0, m_mostLive = 0;
    std::int64_t m_smallOfSize =
        0;                    ///< the most that pieces which are kept came to among layers of this size
    std::int64_t m_kept = 0;  ///< of earlier sizes
};

}  // namespace reelgrid::vae::wan21
