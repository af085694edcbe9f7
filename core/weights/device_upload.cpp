#include "core/weights/device_upload.h"

#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstring>

namespace reelgrid::weights {
namespace {

constexpr std::int64_t kBufferBytes = std::int64_t{64} << 20;
/// What one thread copies at a time.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
/// Below this a plain copy is as fast.
constexpr std::int64_t kSmallBytes = std::int64_t{1} << 20;

}  // namespace

DeviceUpload::Buffer::Buffer(at::Device device)
    : bytes(at::empty({kBufferBytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true))),
      emptied(device.type()) {}

DeviceUpload::DeviceUpload(at::Device device) : m_device(device), m_buffers{Buffer(device), Buffer(device)} {}

at::Tensor DeviceUpload::uploaded(const at::Tensor& stored) {
    const auto size = static_cast<std::int64_t>(stored.nbytes());
    if (size < kSmallBytes || !stored.is_contiguous()) return stored.to(m_device);
    at::Tensor out = at::empty(stored.sizes(), stored.options().device(m_device));
    const at::Tensor outBytes = at::from_blob(out.data_ptr(), {size}, out.options().dtype(at::kByte));
    const auto* from = static_cast<const char*>(stored.const_data_ptr());
    const c10::Stream stream = c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device);
    for (std::int64_t first = 0; first < size; first += kBufferBytes) {
        const std::int64_t count = std::min(kBufferBytes, size - first);
        Buffer& buffer = m_buffers[m_next++ % m_buffers.size()];
        buffer.emptied.synchronize();
        auto* to = static_cast<char*>(buffer.bytes.data_ptr());
        at::parallel_for(
            0, (count + kPieceBytes - 1) / kPieceBytes, 1, [&](std::int64_t piece, std::int64_t end) {
                const std::int64_t begin = piece * kPieceBytes;
                std::memcpy(to + begin, from + first + begin,
                            static_cast<std::size_t>(std::min(end * kPieceBytes, count) - begin));
            });
        outBytes.narrow(0, first, count).copy_(buffer.bytes.narrow(0, 0, count), /*non_blocking=*/true);
        buffer.emptied.record(stream);
    }
    return out;
}

}  // namespace reelgrid::weights
