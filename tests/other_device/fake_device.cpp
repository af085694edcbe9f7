#include "tests/other_device/fake_device.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace reelgrid::test {
namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;
const at::Device kDevice(kType, 0);

/// The device's memory: an address range that nobody may touch for each piece, and its bytes elsewhere.
class Memory {
  public:
    void* allocate(std::size_t bytes) {
        void* const address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        TORCH_CHECK(address != MAP_FAILED, "no address range of ", bytes, " bytes");
        const std::lock_guard lock(m_mutex);
        m_pieces.emplace(static_cast<char*>(address), std::vector<char>(bytes));
        return address;
    }

    void release(void* address) {
        const std::lock_guard lock(m_mutex);
        const auto piece = m_pieces.find(static_cast<char*>(address));
        munmap(address, piece->second.size());
        m_pieces.erase(piece);
    }

    /// Where the byte with this address really is.
    void* bytesAt(const void* address) {
        const std::lock_guard lock(m_mutex);
        auto piece = m_pieces.upper_bound(static_cast<char*>(const_cast<void*>(address)));
        TORCH_CHECK(piece != m_pieces.begin(), "an address of no piece");
        --piece;
        return piece->second.data() + (static_cast<const char*>(address) - piece->first);
    }

  private:
    std::mutex m_mutex;
    std::map<char*, std::vector<char>> m_pieces;
};

Memory& memory() {
    static auto* const all = new Memory;  // outlives every tensor
    return *all;
}

void release(void* address) {
    if (address != nullptr) memory().release(address);
}

struct FakeAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) override {
        void* const address = bytes == 0 ? nullptr : memory().allocate(bytes);
        return {address, address, &release, kDevice};
    }
    [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(memory().bytesAt(to), memory().bytesAt(from), bytes);
    }
};

FakeAllocator g_allocator;

/// The same values as a tensor on the CPU, in the device's own bytes.
at::Tensor seenFromCpu(const at::Tensor& x) {
    if (x.is_cpu()) return x;
    const auto options = x.options().device(at::kCPU);
    if (x.numel() == 0) return at::empty_strided(x.sizes(), x.strides(), options);
    return at::from_blob(memory().bytesAt(x.data_ptr()), x.sizes(), x.strides(), options);
}

void refuseFloat64(std::optional<at::ScalarType> dtype) {
    TORCH_CHECK(dtype.value_or(at::kFloat) != at::kDouble, "this device has no float64");
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
    refuseFloat64(dtype);
    return at::detail::empty_generic(sizes, &g_allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     dtype.value_or(at::kFloat), format);
}

at::Tensor emptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                        std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
    refuseFloat64(dtype);
    return at::detail::empty_strided_generic(sizes, strides, &g_allocator,
                                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                             dtype.value_or(at::kFloat));
}

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool) {
    seenFromCpu(to).copy_(seenFromCpu(from));
    return to;
}

const at::Tensor& resize(const at::Tensor& x, at::IntArrayRef sizes, std::optional<at::MemoryFormat>) {
    auto* const made = x.unsafeGetTensorImpl();
    made->set_sizes_contiguous(sizes);
    const std::size_t bytes = x.element_size() * (std::size_t(x.storage_offset()) + std::size_t(x.numel()));
    c10::StorageImpl* const storage = x.storage().unsafeGetStorageImpl();
    if (storage->nbytes() >= bytes) return x;
    c10::DataPtr grown = g_allocator.allocate(bytes);
    if (storage->nbytes() > 0) g_allocator.copy_data(grown.get(), storage->data(), storage->nbytes());
    storage->set_data_ptr_noswap(std::move(grown));
    storage->set_nbytes(bytes);
    return x;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to) {
    if (to.sizes() != from.sizes()) to.resize_(from.sizes());
    return copyFrom(from, to, false);
}

at::Scalar localScalar(const at::Tensor& x) {
    return at::_local_scalar_dense(seenFromCpu(x));
}

/// A tensor over the same memory.
at::Tensor alias(const at::Tensor& x, at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset,
                 std::optional<at::ScalarType> dtype = {}) {
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(x.storage()), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
        c10::scalarTypeToTypeMeta(dtype.value_or(x.scalar_type())));
    made.unsafeGetTensorImpl()->set_storage_offset(offset);
    made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
    return made;
}

at::Tensor asStrided(const at::Tensor& x, at::IntArrayRef sizes, at::IntArrayRef strides,
                     std::optional<std::int64_t> offset) {
    return alias(x, sizes, strides, offset.value_or(x.storage_offset()));
}

at::Tensor reshapeAlias(const at::Tensor& x, at::IntArrayRef sizes, at::IntArrayRef strides) {
    return alias(x, sizes, strides, x.storage_offset());
}

/// As the CPU lays the view out.
at::Tensor view(const at::Tensor& x, at::IntArrayRef sizes) {
    const at::Tensor laidOut =
        at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kMeta)).view(sizes);
    return alias(x, laidOut.sizes(), laidOut.strides(), x.storage_offset());
}

at::Tensor viewAs(const at::Tensor& x, const at::Tensor& laidOut, std::int64_t offset) {
    return alias(x, laidOut.sizes(), laidOut.strides(), offset, laidOut.scalar_type());
}

at::Tensor metaOf(const at::Tensor& x) {
    return at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kMeta));
}

at::Tensor viewAsReal(const at::Tensor& x) {
    return viewAs(x, at::view_as_real(metaOf(x)), 2 * x.storage_offset());
}

at::Tensor viewAsComplex(const at::Tensor& x) {
    return viewAs(x, at::view_as_complex(metaOf(x)), x.storage_offset() / 2);
}

/// libtorch has no fall-back for it.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                    bool transposed, at::IntArrayRef outputPadding, std::int64_t groups) {
    const bool biased = bias.has_value() && bias->defined();
    return at::convolution(seenFromCpu(x), seenFromCpu(weight),
                           biased ? std::optional(seenFromCpu(*bias)) : std::nullopt, stride, padding,
                           dilation, transposed, outputPadding, groups)
        .to(kDevice);
}

void onCpu(const c10::OperatorHandle& which, torch::jit::Stack* stack) {
    at::native::cpu_fallback(which, stack);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &emptyStrided);
    m.impl("_copy_from", &copyFrom);
    m.impl("_copy_from_and_resize", &copyFromAndResize);
    m.impl("resize_", &resize);
    m.impl("_local_scalar_dense", &localScalar);
    m.impl("as_strided", &asStrided);
    m.impl("_reshape_alias", &reshapeAlias);
    m.impl("view", &view);
    m.impl("convolution_overrideable", &convolve);
    m.impl("view_as_real", &viewAsReal);
    m.impl("view_as_complex", &viewAsComplex);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&onCpu>());
}

struct FakeGuard final : c10::impl::NoOpDeviceGuardImpl<kType> {
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] at::Device getDevice() const override { return kDevice; }
    [[nodiscard]] at::Device exchangeDevice(at::Device) const override { return kDevice; }
    [[nodiscard]] c10::Stream getStream(at::Device) const noexcept override { return stream(); }
    [[nodiscard]] c10::Stream exchangeStream(c10::Stream) const noexcept override { return stream(); }
    void* getStreamNativeHandle(c10::Stream) const override { return nullptr; }
    void synchronizeDevice(c10::DeviceIndex) const override {}
    // Everything has been done once it is called: an event is a time.
    void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
        if (*event == nullptr) *event = new Clock::time_point;
        *static_cast<Clock::time_point*>(*event) = Clock::now();
    }
    void block(void*, const c10::Stream&) const override {}
    bool queryEvent(void*) const override { return true; }
    void synchronizeEvent(void*) const override {}
    double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
        const auto time = *static_cast<Clock::time_point*>(to) - *static_cast<Clock::time_point*>(from);
        return std::chrono::duration<double, std::milli>(time).count();
    }
    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
        delete static_cast<Clock::time_point*>(event);
    }

  private:
    static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, kDevice); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, FakeGuard)

struct FakeHooks final : at::PrivateUse1HooksInterface {
    [[nodiscard]] bool isBuilt() const override { return true; }
    [[nodiscard]] bool isAvailable() const override { return true; }
    [[nodiscard]] bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    [[nodiscard]] c10::DeviceIndex deviceCount() const override { return 1; }
    [[nodiscard]] c10::DeviceIndex getCurrentDevice() const override { return 0; }
    void setCurrentDevice(c10::DeviceIndex) const override {}
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
};

}  // namespace

void registerFakeDevice() {
    static const bool once = [] {
        static FakeHooks hooks;
        c10::SetAllocator(kType, &g_allocator);
        c10::register_privateuse1_backend(
            "privateuseone");  // libtorch looks for one of this kind from now on
        at::RegisterPrivateUse1HooksInterface(&hooks);
        return true;
    }();
    (void)once;
}

}  // namespace reelgrid::test
