#include "core/weights/pt_tensors.h"

#include <cstdint>
#include <cstring>

#include "core/weights/scalar_type.h"

namespace reelgrid::weights {
namespace {

/// torch.save aligns storages; other writers may not.
bool isAligned(const pt::Storage& storage, std::uint64_t to) {
    return reinterpret_cast<std::uintptr_t>(storage.bytes.data()) % to == 0;
}

std::shared_ptr<const pt::Storage> alignedCopy(const pt::Storage& storage) {
    const auto size = static_cast<std::int64_t>(storage.bytes.size());
    auto copy = std::make_shared<at::Tensor>(at::empty({size}, at::kByte));
    std::memcpy(copy->mutable_data_ptr(), storage.bytes.data(), storage.bytes.size());
    const std::string_view bytes(static_cast<const char*>(copy->const_data_ptr()), storage.bytes.size());
    return std::make_shared<const pt::Storage>(pt::Storage{bytes, std::move(copy)});
}

}  // namespace

at::Tensor tensorFrom(const pt::Tensor& stored) {
    const std::uint64_t width = safetensors::bytesOf(stored.type);
    const auto storage = isAligned(*stored.storage, width) ? stored.storage : alignedCopy(*stored.storage);
    const char* first = storage->bytes.data() + static_cast<std::uint64_t>(stored.offset) * width;
    // from_blob takes no pointer to const; nobody may write here.
    return at::from_blob(
        const_cast<char*>(first), stored.sizes, stored.strides, [storage](void*) {},
        at::TensorOptions(scalarTypeOf(stored.type)));
}

pt::Tensor ptTensorOf(const at::Tensor& tensor) {
    const c10::Storage& storage = tensor.storage();
    const std::string_view bytes(static_cast<const char*>(storage.data()), storage.nbytes());
    return {.storage = std::make_shared<const pt::Storage>(
                pt::Storage{bytes, std::make_shared<const at::Tensor>(tensor)}),
            .type = elementTypeOf(tensor.scalar_type()),
            .offset = tensor.storage_offset(),
            .sizes = tensor.sizes().vec(),
            .strides = tensor.strides().vec()};
}

}  // namespace reelgrid::weights
