#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::measurements {

inline constexpr std::size_t kMostRows = 20000;
/// Of a cosine or an SSIM, 1 but for rounding.
inline constexpr double kMostCosine = 1.00001;

/// The rows of an untrusted list of objects: `readRow` fills one from its fields.
template <class Row, class ReadRow>
Result<std::vector<Row>> rowsFrom(const nlohmann::json& list, const std::string& what, ReadRow readRow) {
    std::vector<Row> rows;
    for (const nlohmann::json& each : list) {
        const std::string name = what + " " + std::to_string(rows.size() + 1);
        if (!each.is_object()) return Error{ErrorCode::InvalidData, name + ": an object was needed"};
        protocol::FieldReader fields(each, name, ErrorCode::InvalidData);
        Row row;
        readRow(fields, row);
        if (auto read = fields.finish(); !read) return read.error();
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The sizes of a tensor: at most eight whole numbers.
Result<std::vector<std::int64_t>> sizesFrom(const nlohmann::json* list, const std::string& what);
/// "1×12×4096×128"
std::string sizesText(const std::vector<std::int64_t>& sizes);

/// A list of numbers, null meaning none (NaN).
Result<std::vector<double>> numbersFrom(const nlohmann::json* list, const std::string& what);

}  // namespace reelgrid::measurements
