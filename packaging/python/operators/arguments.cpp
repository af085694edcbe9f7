#include "packaging/python/operators/arguments.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace reelgrid::operators {
namespace {

constexpr std::uintptr_t kAlignment = 16;

/// The file that this function was loaded from.
std::filesystem::path thisLibrary() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&thisLibrary), &info) == 0 || info.dli_fname == nullptr) return {};
    return info.dli_fname;
}

/// The kernels' library names none of torch's libraries as needed, and Python loads those for itself alone:
/// makes what they define visible to all that is loaded after this. One that isn't loaded stays so.
void shareTorchsSymbols() {
    for (const char* name : {"libc10.so", "libc10_cuda.so", "libtorch_cpu.so", "libtorch_cuda.so"})
        dlopen(name, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/// What kept the CUDA kernels from being loaded; empty when they are there.
std::string loadCuda() {
    const auto file = thisLibrary().replace_filename("libreelgrid-cuda.so");
    if (!std::filesystem::exists(file))
        return "this wheel was built without CUDA kernels: REELGRID_CUDA=1 packaging/python/build makes one "
               "with them";
    shareTorchsSymbols();
    return kernels::cuda::load(file);
}

std::string textOf(at::IntArrayRef sizes) {
    std::ostringstream text;
    text << '[';
    for (std::size_t i = 0; i < sizes.size(); ++i) text << (i == 0 ? "" : ", ") << sizes[i];
    text << ']';
    return text.str();
}

bool isAligned(const at::Tensor& x) {
    return reinterpret_cast<std::uintptr_t>(x.const_data_ptr()) % kAlignment == 0;
}

/// [batch, 3, 64]: what may be anything is called by its name.
std::string needText(at::IntArrayRef sizes, std::string_view meaning) {
    std::istringstream names{std::string(meaning)};
    std::string text;
    for (const std::int64_t size : sizes) {
        std::string name;
        std::getline(names >> std::ws, name, ',');
        text += (text.empty() ? "[" : ", ") + (size < 0 ? name : std::to_string(size));
    }
    return text + "]";
}

}  // namespace

std::string sizesOf(const at::Tensor& x) {
    return textOf(x.sizes());
}

Call::Call(std::string op, const at::Tensor& first)
    : m_op("reelgrid::" + std::move(op)), m_device(first.device()) {
    if (!m_device.is_cpu()) m_guard.reset_device(m_device);
}

void Call::needsTensor(const char* name, const at::Tensor& x,
                       std::initializer_list<at::ScalarType> dtypes) const {
    TORCH_CHECK_VALUE(x.device() == m_device, m_op, ": ", name, " is on ", x.device(), ", needs ", m_device,
                      " like the first tensor");
    TORCH_CHECK_VALUE(x.layout() == at::kStrided, m_op, ": ", name, " has the layout ", x.layout(),
                      ", needs a dense tensor");
    if (std::ranges::find(dtypes, x.scalar_type()) != dtypes.end()) return;
    std::string needs;
    for (const at::ScalarType type : dtypes)
        needs += (needs.empty() ? "" : " or ") + std::string(at::toString(type));
    TORCH_CHECK_TYPE(false, m_op, ": ", name, " has the dtype ", at::toString(x.scalar_type()), ", needs ",
                     needs);
}

void Call::needsSizes(const char* name, const at::Tensor& x, at::IntArrayRef sizes,
                      const char* meaning) const {
    bool fits = x.dim() == std::int64_t(sizes.size());
    for (std::size_t i = 0; fits && i < sizes.size(); ++i)
        fits = sizes[i] < 0 ? x.size(std::int64_t(i)) > 0 : x.size(std::int64_t(i)) == sizes[i];
    TORCH_CHECK_VALUE(fits, m_op, ": ", name, " is ", sizesOf(x), ", needs ", needText(sizes, meaning), " (",
                      meaning, "; none empty)");
}

at::Tensor Call::optionalFloats(const char* name, const std::optional<at::Tensor>& x, at::IntArrayRef sizes,
                                const char* meaning) const {
    if (!x || !x->defined()) return {};
    needsTensor(name, *x, {at::kFloat});
    needsSizes(name, *x, sizes, meaning);
    const at::Tensor dense = x->contiguous();
    return isCpu() || isAligned(dense) ? dense : dense.clone();
}

void Call::needsContiguous(const char* name, const at::Tensor& x) const {
    TORCH_CHECK_VALUE(x.is_contiguous(), m_op, ": ", name, " has the strides ", textOf(x.strides()),
                      ", needs a contiguous tensor");
}

void Call::needsMultiple(const char* name, std::int64_t value, std::int64_t of) const {
    TORCH_CHECK_VALUE(value % of == 0, m_op, ": ", name, ": ", value, ", needs a multiple of ", of);
}

void Call::needsAtMost(const char* name, std::int64_t value, std::int64_t most) const {
    TORCH_CHECK_VALUE(value <= most, m_op, ": ", name, ": ", value, ", needs at most ", most);
}

void Call::needsAligned(const char* name, const at::Tensor& x) const {
    TORCH_CHECK_VALUE(isAligned(x), m_op, ": ", name, " begins at an address that is no multiple of ",
                      kAlignment, ", needs one that is: clone it");
}

void* Call::stream() const {
    if (isCpu()) return nullptr;
    const c10::impl::VirtualGuardImpl backend(m_device.type());
    return backend.getStreamNativeHandle(backend.getStream(m_device));
}

const kernels::cuda::Library& Call::cuda() const {
    static const std::string failure = loadCuda();
    TORCH_CHECK(failure.empty(), m_op, ": ", failure);
    return *kernels::cuda::library();
}

kernels::DataType kernelTypeOf(at::ScalarType type) {
    return type == at::kFloat      ? kernels::DataType::Float32
           : type == at::kBFloat16 ? kernels::DataType::BFloat16
                                   : kernels::DataType::Float16;
}

}  // namespace reelgrid::operators
