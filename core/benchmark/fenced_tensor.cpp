#include "core/benchmark/fenced_tensor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <new>

namespace reelgrid::benchmark {
namespace {

constexpr std::int64_t kPattern = 0xA5, kNanByte = 0xFF;
constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kFenceBytes = 4096;  ///< of the pattern around what lies on a GPU
constexpr std::int64_t kPaddingElements = 8;

/// What a signal handler needs to know of one tensor's memory.
struct Fence {
    std::atomic<std::uintptr_t> begin = 0;  ///< of the pages that can be touched; 0: unused
    std::uintptr_t end = 0;
    std::uintptr_t pageBytes = 0;
    std::array<char, 64> within{}, before{}, behind{};
};
std::array<Fence, 16> theFences;

std::int64_t roundedUp(std::int64_t bytes, std::int64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::array<std::int64_t, 4> stridesOf(at::IntArrayRef s_BHND, Layout layout) {
    const std::int64_t heads = s_BHND[1], tokens = s_BHND[2], dim = s_BHND[3];
    if (layout == Layout::HeadsFirst) return {heads * tokens * dim, tokens * dim, dim, 1};
    const std::int64_t token = heads * dim + (layout == Layout::Padded ? kPaddingElements : 0);
    return {tokens * token, dim, token, 1};
}

}  // namespace

/// Pages between two that can't be touched.
class FencedTensor::Pages {
  public:
    Pages(const std::string& name, std::int64_t bytes)
        : m_page(sysconf(_SC_PAGESIZE)), m_bytes(roundedUp(bytes, m_page)) {
        m_whole =
            mmap(nullptr, std::size_t(m_bytes + 2 * m_page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m_whole == MAP_FAILED) throw std::bad_alloc();
        if (mprotect(begin(), std::size_t(m_bytes), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        for (Fence& fence : theFences) {
            if (fence.begin != 0) continue;
            std::snprintf(fence.within.data(), fence.within.size(), "it wrote to its input %s", name.c_str());
            std::snprintf(fence.before.data(), fence.before.size(), "it went before the beginning of %s",
                          name.c_str());
            std::snprintf(fence.behind.data(), fence.behind.size(), "it went past the end of %s",
                          name.c_str());
            fence.pageBytes = std::uintptr_t(m_page);
            fence.end = reinterpret_cast<std::uintptr_t>(begin()) + std::uintptr_t(m_bytes);
            fence.begin = reinterpret_cast<std::uintptr_t>(begin());
            m_fence = &fence;
            break;
        }
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() {
        if (m_fence != nullptr) m_fence->begin = 0;
        munmap(m_whole, std::size_t(m_bytes + 2 * m_page));
    }

    [[nodiscard]] char* begin() const { return static_cast<char*>(m_whole) + m_page; }
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
    void makeReadOnly() { mprotect(begin(), std::size_t(m_bytes), PROT_READ); }

  private:
    std::int64_t m_page, m_bytes;
    void* m_whole = nullptr;
    Fence* m_fence = nullptr;
};

FencedTensor::FencedTensor(const std::string& name, at::IntArrayRef sizes_BHND, at::ScalarType type,
                           Layout layout, at::Device device) {
    const auto strides = stridesOf(sizes_BHND, layout);
    const auto elementBytes = static_cast<std::int64_t>(at::elementSize(type));
    const std::int64_t bytes = strides[0] * sizes_BHND[0] * elementBytes;
    const auto options = at::TensorOptions(device).dtype(at::kByte);
    std::int64_t first = kFenceBytes;
    if (device.is_cpu()) {
        m_pages = std::make_unique<Pages>(name, bytes);
        m_memory = at::from_blob(m_pages->begin(), {m_pages->bytes()}, options);
        // As near to the end as alignment allows, so that the page behind it is soon reached.
        first = (m_pages->bytes() - bytes) / kAlignment * kAlignment;
    } else {
        m_memory = at::empty({first + roundedUp(bytes, kAlignment) + kFenceBytes}, options);
    }
    m_memory.fill_(kPattern);
    m_tensor_BHND =
        m_memory.narrow(0, first, bytes).view(type).as_strided(sizes_BHND, strides, first / elementBytes);
}

FencedTensor::FencedTensor(FencedTensor&&) noexcept = default;
FencedTensor::~FencedTensor() = default;

void FencedTensor::makeReadOnly() {
    if (m_pages) m_pages->makeReadOnly();
}

void FencedTensor::fillWithNan() {
    m_tensor_BHND.fill_(std::numeric_limits<double>::quiet_NaN());
}

bool FencedTensor::areSurroundingsIntact() {
    // The elements get the pattern, too: then every byte has it.
    const bool isWide = m_tensor_BHND.element_size() == 4;
    const auto bits = static_cast<std::int64_t>(isWide ? std::int32_t(0xA5A5A5A5U) : std::int16_t(0xA5A5U));
    m_tensor_BHND.view(isWide ? at::kInt : at::kShort).fill_(bits);
    return m_memory.eq(kPattern).all().item<bool>();
}

const char* faultWords(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (const Fence& fence : theFences) {
        const std::uintptr_t begin = fence.begin;
        if (begin == 0 || at < begin - fence.pageBytes || at >= fence.end + fence.pageBytes) continue;
        return (at < begin ? fence.before : at >= fence.end ? fence.behind : fence.within).data();
    }
    return nullptr;
}

}  // namespace reelgrid::benchmark
