#pragma once

// Shape legend: B batch, H heads, N tokens, D head dim.

#include <ATen/ATen.h>

#include <memory>
#include <string>

namespace reelgrid::benchmark {

/// How the tensors of a checked call lie in memory.
enum class Layout {
    TokensFirst,  ///< [B, N, H, D]
    HeadsFirst,   ///< [B, H, N, D]
    Padded,       ///< [B, N, H, D] with room between tokens that belongs to nobody
};

/// A tensor [B, H, N, D] in memory that shows who writes where: what belongs to nobody holds a pattern, and
/// on the CPU pages before and behind it can't be touched. Elements begin on a 64-byte boundary.
class FencedTensor {
  public:
    FencedTensor(const std::string& name, at::IntArrayRef sizes_BHND, at::ScalarType type, Layout layout,
                 at::Device device);
    FencedTensor(FencedTensor&&) noexcept;
    ~FencedTensor();

    [[nodiscard]] const at::Tensor& tensor_BHND() const { return m_tensor_BHND; }
    /// From now on writing to it is a fault (on the CPU).
    void makeReadOnly();
    /// Fills its elements with NaN.
    void fillWithNan();
    /// Whether nothing was written to what belongs to nobody; destroys the elements.
    [[nodiscard]] bool areSurroundingsIntact();

  private:
    class Pages;
    std::unique_ptr<Pages> m_pages;  ///< of the CPU
    at::Tensor m_memory;             ///< every byte
    at::Tensor m_tensor_BHND;
};

/// Which fenced tensor an address of this process lies in or beside, in words for a fault on it: "wrote to
/// its input k", "read or wrote past the end of out"; null for any other address. May be called in a signal
/// handler.
const char* faultWords(const void* address);

}  // namespace reelgrid::benchmark
