#pragma once

// What a batch of frames takes on its way through the layers, without computing any of them.

#include <ATen/ATen.h>

#include <cstdint>

#include "core/vae/cogvideox/resample.h"
#include "core/vae/conv_path.h"
#include "core/vae/memory_walk.h"

namespace reelgrid::vae::cogvideox {

/// Goes through the layers as the encoder and the decoder call them, and adds up what lives at once. Bytes.
class BatchWalk {
  public:
    BatchWalk(at::ScalarType dtype, at::Device device);

    /// A batch of so many latents, which norms lie over; none in an encoder. Layers of later batches find
    /// what they remember of the first.
    void beginBatch(const Activations& latents);

    /// CausalConv3d by itself or behind the last norm, ResidualBlock, Upsample, Downsample: what comes out.
    Activations conv(const Activations& x, std::int64_t out);
    Activations normedConv(const Activations& x, std::int64_t out);
    Activations residualBlock(const Activations& x, std::int64_t out);
    Activations upsample(const Activations& x, ResampleAxes axes);
    Activations downsample(const Activations& x, ResampleAxes axes);
    /// Some bytes beside what layers remember.
    void note(const MemoryWalk::Pieces& pieces) { m_memory.note(pieces); }

    /// The fullest moment, with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_memory.peak()); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_memory.livePeak()); }

  private:
    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const { return x.values() * m_element; }
    /// The factors of a norm of so many channels.
    [[nodiscard]] std::int64_t normBytes(std::int64_t channels) const;
    /// x, which lies in so many bytes, and ConvFusion's choices; `beside`: what else lives.
    struct Convolution {
        Activations x;
        std::int64_t xBytes = 0, out = 0;
        bool isNormed = false, isConsumed = false, hasResidual = false;
        MemoryWalk::Pieces beside{};
    };
    /// In how many bytes the output lies; of no account where that is the residual's memory.
    std::int64_t convolve(const Convolution& conv);
    std::int64_t convolveByWinograd(const Convolution& conv);
    std::int64_t convolveInSlices(const Convolution& conv);
    void norm(const Activations& x, std::int64_t beside);

    ConvPath m_path;
    std::int64_t m_element;
    at::Device m_device;
    MemoryWalk m_memory;
    Activations m_latents{};
    int m_batches = 0;
};

}  // namespace reelgrid::vae::cogvideox
