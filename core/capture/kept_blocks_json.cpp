#include "core/capture/kept_blocks_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/number_text.h"

namespace reelgrid::capture {
namespace {

using nlohmann::json;

constexpr int kDigits = 4;

/// To four digits; null where it isn't finite.
json shortened(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == 0) return 0.0;
    const double unit = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
    return std::isfinite(unit) ? std::round(value * unit) / unit : value;
}

/// [first token, last token], and of the clip's tokens the ends of frames, rows and columns.
json toJson(const BlockPlace& place) {
    json list = {place.firstToken, place.lastToken};
    if (place.clipTokens == 0) return list;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        list.push_back(place.first[axis]);
        list.push_back(place.last[axis]);
    }
    return list;
}

json places(const std::vector<BlockPlace>& all) {
    json list = json::array();
    for (const BlockPlace& place : all) list.push_back(toJson(place));
    return list;
}

std::string placeCells(const BlockPlace& place) {
    std::string cells = std::to_string(place.firstToken) + "," + std::to_string(place.lastToken);
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (place.clipTokens == 0)
            cells += ",,";
        else
            cells.append(",")
                .append(std::to_string(place.first[axis]))
                .append(",")
                .append(std::to_string(place.last[axis]));
    return cells;
}

}  // namespace

json toJson(const KeptShares& shares) {
    json list = json::array();
    for (const double share : shares.ofHead) list.push_back(shortened(share));
    return {{"backend", shares.backend}, {"kept_share", shares.mean()}, {"kept_share_of_head", list}};
}

json toJson(const KeptBlocks& blocks) {
    json object = {{"backend", blocks.backend},
                   {"options", json::object()},
                   {"batch", blocks.batch},
                   {"head", blocks.head},
                   {"queries", blocks.queries},
                   {"keys", blocks.keys},
                   {"queries_together", blocks.queriesTogether},
                   {"keys_together", blocks.keysTogether},
                   {"rows", blocks.rows},
                   {"columns", blocks.columns},
                   {"queries_per_block", blocks.queriesPerBlock},
                   {"kept_share", blocks.keptShare},
                   {"kept_weight", shortened(blocks.keptWeight)},
                   {"kept_share_of_head", json::array()},
                   {"kept", json::array()},
                   {"weights", json::array()},
                   {"query_places", places(blocks.queryPlaces)},
                   {"key_places", places(blocks.keyPlaces)}};
    for (const kernels::OptionValue& option : blocks.options) object["options"][option.key] = option.value;
    for (const double share : blocks.keptShareOfHead)
        object["kept_share_of_head"].push_back(shortened(share));
    if (const kernels::TokenGrid& grid = blocks.grid; grid.isKnown())
        object["grid"] = {grid.frames, grid.rows, grid.columns, grid.textBefore, grid.textAfter};
    for (std::int64_t row = 0; row < blocks.rows; ++row) {
        std::string kept;
        json weights = json::array();
        for (std::int64_t column = 0; column < blocks.columns; ++column) {
            const auto at = static_cast<std::size_t>(row * blocks.columns + column);
            kept += blocks.kept[at] != 0 ? '1' : '0';
            weights.push_back(shortened(blocks.weights[at]));
        }
        object["kept"].push_back(std::move(kept));
        object["weights"].push_back(std::move(weights));
    }
    return object;
}

std::string csvOf(const KeptBlocks& blocks) {
    std::string text = "query_block,key_block,kept,weight";
    for (const char* side : {"query", "key"})
        for (const char* what : {"token", "frame", "row", "column"})
            for (const char* end : {"first", "last"})
                text += std::string(",") + side + "_" + end + "_" + what;
    text += "\n";
    std::vector<std::string> keys;
    for (const BlockPlace& place : blocks.keyPlaces) keys.push_back(placeCells(place));
    for (std::int64_t row = 0; row < blocks.rows; ++row) {
        const std::string query = placeCells(blocks.queryPlaces[static_cast<std::size_t>(row)]);
        for (std::int64_t column = 0; column < blocks.columns; ++column) {
            const auto at = static_cast<std::size_t>(row * blocks.columns + column);
            text += std::to_string(row) + "," + std::to_string(column) + "," +
                    (blocks.kept[at] != 0 ? "1," : "0,") + significant(blocks.weights[at], kDigits) + "," +
                    query + "," + keys[static_cast<std::size_t>(column)] + "\n";
        }
    }
    return text;
}

}  // namespace reelgrid::capture
