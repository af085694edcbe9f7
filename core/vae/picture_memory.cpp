#include "core/vae/picture_memory.h"

#include <utility>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae {

PictureMemory::PictureMemory(at::ScalarType dtype, at::Device device)
    : m_path(convPathOf(dtype, device)),
      m_element(std::int64_t(c10::elementSize(dtype))),
      m_memory(device.is_cpu() ? MemoryWalk::Freed::Kept : MemoryWalk::Freed::Gone) {}

void PictureMemory::noteNormSilu(const Activations& x, MemoryWalk::Pieces others) {
    others.insert(others.end(), 2, bytesOf(x));
    m_memory.note(others);
}

void PictureMemory::noteConv(MemoryWalk::Pieces pieces, const Activations& in, const Activations& out) {
    switch (m_path) {
        case ConvPath::Winograd:
            for (const Activations& x : {in, out})
                if (const std::int64_t padded = winogradChannels(x.channels); padded != x.channels)
                    pieces.push_back(bytesOf(x.with(padded)));
            pieces.push_back(winogradScratchBytes(out, in.channels, 1));
            break;
        case ConvPath::Libtorch:
            break;
        case ConvPath::Cudnn:
            if (cudnnCopies()) pieces.insert(pieces.end(), {bytesOf(in), bytesOf(out)});
            break;
    }
    m_memory.note(pieces);
}

void PictureMemory::noteTemporalResidual(const Activations& x, std::int64_t held) {
    const std::int64_t bytes = bytesOf(x), around = bytesOf(x.ofFrames(x.frames + 2));
    if (m_path == ConvPath::Winograd) {
        // Our kernel norms what it reads.
        m_memory.note({held, bytes, bytes});
        return;
    }
    noteNormSilu(x, {held, bytes});
    // What is there, what the first convolution made, the normed, the sum; libtorch's products of 16 bit are
    // given the three frames beside one another, and a frame of zeros at both ends.
    MemoryWalk::Pieces pieces{held, bytes, bytes, bytes, bytes};
    if (m_path == ConvPath::Cudnn && cudnnCopies()) pieces.insert(pieces.end(), {bytes, bytes});
    if (m_path == ConvPath::Libtorch) pieces.insert(pieces.end(), {around, 3 * bytes});
    m_memory.note(pieces);
}

Activations PictureMemory::noteDoublingConv(const Activations& x) {
    const Activations big{x.frames, 2 * x.rows, 2 * x.columns, x.channels};
    MemoryWalk::Pieces pieces{bytesOf(x), bytesOf(big)};
    // Our kernels double while they read, the others are given doubled pixels.
    const bool doublesFirst = m_path != ConvPath::Winograd;
    if (doublesFirst) pieces.push_back(bytesOf(big));
    noteConv(std::move(pieces), doublesFirst ? big : x, big);
    endSize(big);
    return big;
}

Activations PictureMemory::noteResidualBlock(const Activations& x, std::int64_t outChannels) {
    const Activations y = x.with(outChannels);
    const std::int64_t in = bytesOf(x), out = bytesOf(y);
    noteNormSilu(x);
    noteConv({in, in, out}, x, y);
    noteNormSilu(y, {in, out});
    // The input, what the first convolution made, the shortcut, the normed. Our kernels write their sum into
    // the shortcut.
    MemoryWalk::Pieces pieces{in, out, out, out};
    if (m_path != ConvPath::Winograd || winogradChannels(outChannels) != outChannels) pieces.push_back(out);
    noteConv(std::move(pieces), y, y);
    return y;
}

std::uint64_t pictureWeightBytes(
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& parameters, at::ScalarType dtype,
    at::Device device) {
    const bool isTransformed = convPathOf(dtype, device) == ConvPath::Winograd;
    std::uint64_t values = 0;
    for (const auto& [name, shape] : parameters) {
        // Downsamplers, of stride 2, stay as they are.
        const bool is3x3 =
            shape.size() == 4 && shape.back() == 3 && name.find("downsampler") == std::string::npos;
        values += isTransformed && is3x3 ? kernels::vaeConvWeightFloats(int(winogradChannels(shape[1])),
                                                                        int(winogradChannels(shape[0])), 1)
                                         : std::uint64_t(c10::multiply_integers(shape));
    }
    return values * c10::elementSize(dtype);
}

}  // namespace reelgrid::vae
