#include "core/result/json_numbers.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid::result {

Result<std::vector<double>> numbersFromJson(const nlohmann::json& list, const std::string& key) {
    std::vector<double> numbers;
    numbers.reserve(list.size());
    for (const nlohmann::json& value : list) {
        if (!value.is_null() && !value.is_number())
            return Error{ErrorCode::InvalidData, key + ": " + showJson(value) + ": a number was needed"};
        numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    return numbers;
}

}  // namespace reelgrid::result
