#include "core/pt/tensor_check.h"

#include <limits>

#include "core/base/result.h"

namespace reelgrid::pt {
namespace {

constexpr std::size_t kMaxDimensions = 64;
/// No tensor is larger; keeps every product and sum of these within 64 bits.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

std::string listed(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "(" + text + ")";
}

}  // namespace

void checkWithin(const Tensor& tensor, std::int64_t elements) {
    const auto refuse = [&](const std::string& why) {
        const std::string dims =
            tensor.sizes.size() > kMaxDimensions
                ? std::to_string(tensor.sizes.size()) + " dimensions"
                : "shape " + listed(tensor.sizes) + ", strides " + listed(tensor.strides);
        throw Failure(ErrorCode::InvalidData,
                      "a tensor of " + dims + ", offset " + std::to_string(tensor.offset) + ": " + why);
    };
    if (tensor.sizes.size() > kMaxDimensions)
        refuse("at most " + std::to_string(kMaxDimensions) + " were needed");
    if (tensor.strides.size() != tensor.sizes.size()) refuse("a stride for each dimension was needed");
    bool empty = false;
    std::int64_t count = 1, last = tensor.offset;
    if (tensor.offset < 0 || tensor.offset > kMaxElements) refuse("an offset within its storage was needed");
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
        const std::int64_t size = tensor.sizes[i], stride = tensor.strides[i];
        if (size < 0 || size > kMaxElements || stride < 0 || stride > kMaxElements)
            refuse("sizes and strides from 0 to 2^48 were needed");
        empty = empty || size == 0;
        if (size > 1 && count > kMaxElements / size) refuse("at most 2^48 elements were needed");
        count *= size > 1 ? size : 1;
        if (size > 1 && stride > 0 && (size - 1) > (kMaxElements - 1) / stride)
            refuse("elements within its storage were needed");
        if (size > 1) last += (size - 1) * stride;
        if (last > kMaxElements) refuse("elements within its storage were needed");
    }
    if (empty ? tensor.offset > elements : last >= elements)
        refuse("its last element is number " + std::to_string(last) + ", its storage has " +
               std::to_string(elements));
}

}  // namespace reelgrid::pt
