#include "core/measurements/list_reader.h"

#include "core/base/json.h"
#include "core/result/json_numbers.h"

namespace reelgrid::measurements {

Result<std::vector<std::int64_t>> sizesFrom(const nlohmann::json* list, const std::string& what) {
    constexpr std::size_t kMostDimensions = 8;
    std::vector<std::int64_t> sizes;
    if (list == nullptr) return sizes;
    for (const nlohmann::json& size : *list) {
        if (!size.is_number_integer() || size.get<std::int64_t>() < 0 || list->size() > kMostDimensions)
            return Error{ErrorCode::InvalidData,
                         what + " " + showJson(*list) + ": the sizes of a tensor were needed"};
        sizes.push_back(size.get<std::int64_t>());
    }
    return sizes;
}

std::string sizesText(const std::vector<std::int64_t>& sizes) {
    std::string text;
    for (const std::int64_t size : sizes) text += (text.empty() ? "" : "×") + std::to_string(size);
    return text;
}

Result<std::vector<double>> numbersFrom(const nlohmann::json* list, const std::string& what) {
    if (list == nullptr) return std::vector<double>();
    return result::numbersFromJson(*list, what);
}

}  // namespace reelgrid::measurements
