#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/vae/conv_path.h"
#include "core/vae/memory_walk.h"

namespace reelgrid::vae {

/// Adds up what lives at once while pictures go through layers made of ImageConv and GroupNorm, each of which
/// says it beside its forward(). Bytes.
class PictureMemory {
  public:
    PictureMemory(at::ScalarType dtype, at::Device device);

    [[nodiscard]] std::int64_t bytesOf(const Activations& x) const { return x.values() * m_element; }

    /// silu of a group norm, beside its input and what `others` hold.
    void noteNormSilu(const Activations& x, MemoryWalk::Pieces others = {});
    /// What a 3×3 convolution works in, beside what `pieces` hold: its input, its output and others.
    void noteConv(MemoryWalk::Pieces pieces, const Activations& in, const Activations& out);
    /// A layer of two norms and convolutions along time (TemporalResidual), whose sum takes its input's
    /// place, beside `held` bytes.
    void noteTemporalResidual(const Activations& x, std::int64_t held);
    /// A convolution of pixels that are doubled; what comes out.
    Activations noteDoublingConv(const Activations& x);
    /// Two of each and a shortcut, as autoencoders and UNets have them; what comes out.
    Activations noteResidualBlock(const Activations& x, std::int64_t outChannels);

    /// Something that lives on beside the layers that come, until it is let go.
    void hold(const Activations& x) { m_memory.hold(bytesOf(x)); }
    void letGo(const Activations& x) { m_memory.letGo(bytesOf(x)); }
    /// A moment: what lives at once beside what is held.
    void note(const MemoryWalk::Pieces& pieces) { m_memory.note(pieces); }
    /// The layers of one size have ended with these.
    void endSize(const Activations& x) { m_memory.endSize(bytesOf(x)); }

    /// The fullest moment, with what the C library keeps.
    [[nodiscard]] std::uint64_t peak() const { return std::uint64_t(m_memory.peak()); }
    /// Without: tensors alone.
    [[nodiscard]] std::uint64_t livePeak() const { return std::uint64_t(m_memory.livePeak()); }

  private:
    /// With the deterministic algorithms that it takes, cuDNN 9 works in copies of what goes in and comes out
    /// in fp32. In 16 bit, channels last, its products read and write both as they are.
    [[nodiscard]] bool cudnnCopies() const { return m_element == sizeof(float); }

    ConvPath m_path;
    std::int64_t m_element;
    MemoryWalk m_memory;
};

/// Of weights as ImageConv, HalvingConv and the others keep them: their names and shapes in a checkpoint. The
/// CPU's kernels have theirs transformed (kernels/cpu/vae).
std::uint64_t pictureWeightBytes(
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& parameters, at::ScalarType dtype,
    at::Device device);

}  // namespace reelgrid::vae
