#pragma once

#include <ATen/ATen.h>
#include <c10/core/Event.h>

#include <array>

namespace reelgrid::weights {

/// Copies stored tensors to a GPU as fast as its bus takes them: several threads copy (and so read from the
/// file's pages) into page-locked buffers that the GPU empties in turn. About twice as fast as a plain copy
/// from memory, more from a memory map.
class DeviceUpload {
  public:
    explicit DeviceUpload(at::Device device);

    /// The tensor's elements as stored, on the device, contiguous. The source may go when this returns.
    [[nodiscard]] at::Tensor uploaded(const at::Tensor& stored);

  private:
    struct Buffer {
        explicit Buffer(at::Device device);
        at::Tensor bytes;    ///< page-locked
        c10::Event emptied;  ///< by the GPU
    };

    at::Device m_device;
    std::array<Buffer, 2> m_buffers;
    std::size_t m_next = 0;
};

}  // namespace reelgrid::weights
