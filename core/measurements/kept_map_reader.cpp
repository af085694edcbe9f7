#include "core/measurements/kept_map_reader.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/measurements/list_reader.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;
using protocol::FieldReader;

constexpr const char* kWhat = "kept blocks";
constexpr int kMostKeptBlocks = 65536;
constexpr double kMostPairs = 4e6;

Error wrong(const std::string& what) {
    return {ErrorCode::InvalidData, std::string(kWhat) + ": " + what};
}

/// A row of the map: a text of 0 and 1.
Result<void> addKept(const json& row, KeptMap& map) {
    const auto* text = row.get_ptr<const json::string_t*>();
    if (text == nullptr || text->size() != std::size_t(map.columns) ||
        text->find_first_not_of("01") != text->npos)
        return wrong("a text of " + std::to_string(map.columns) + " times 0 or 1 was needed in each row");
    for (const char bit : *text) map.kept.push_back(bit == '1');
    return {};
}

Result<void> addWeights(const json& row, KeptMap& map) {
    auto numbers = numbersFrom(&row, "kept blocks: a row of weights");
    if (!numbers) return numbers.error();
    if (int(numbers->size()) != map.columns)
        return wrong("rows of " + std::to_string(map.columns) + " weights were needed, one has " +
                     std::to_string(numbers->size()));
    map.weights.insert(map.weights.end(), numbers->begin(), numbers->end());
    return {};
}

/// Two tokens, or those and the ends of frames, rows and columns.
Result<std::vector<BlockSpot>> placesFrom(const json& list, int count) {
    std::vector<BlockSpot> places;
    for (const json& each : list) {
        const auto fits = [](const json& n) { return n.is_number_integer() && n.get<std::int64_t>() >= 0; };
        if (!each.is_array() || (each.size() != 2 && each.size() != 8) || !std::ranges::all_of(each, fits))
            return wrong("place " + showJson(each) + ": two or eight whole numbers were needed");
        BlockSpot place{each[0].get<std::int64_t>(), each[1].get<std::int64_t>(), {}};
        if (each.size() == 8)
            for (std::size_t i = 0; i < 6; ++i) {
                if (!place.inClip) place.inClip.emplace();
                (*place.inClip)[i] = each[i + 2].get<std::int64_t>();
            }
        places.push_back(place);
    }
    if (int(places.size()) != count)
        return wrong(std::to_string(count) + " places were needed, there are " +
                     std::to_string(places.size()));
    return places;
}

Result<void> readOptions(const json* options, KeptMap& map) {
    if (options == nullptr) return {};
    constexpr std::size_t kMostOptions = 64;
    for (const auto& [key, value] : options->items()) {
        const auto* text = value.get_ptr<const json::string_t*>();
        if (text == nullptr || map.options.size() == kMostOptions)
            return wrong("option " + key + ": at most " + std::to_string(kMostOptions) +
                         " texts were needed");
        map.options.emplace_back(key, *text);
    }
    return {};
}

}  // namespace

Result<KeptMap> keptMapFrom(const json& object) {
    KeptMap map;
    FieldReader fields(object, kWhat, ErrorCode::InvalidData);
    fields.requireText("backend", map.backend);
    fields.integer("head", map.head, 0);
    fields.integer("rows", map.rows, 1);
    fields.integer("columns", map.columns, 1);
    fields.integer("queries_together", map.queriesTogether, 1);
    fields.integer("keys_together", map.keysTogether, 1);
    fields.integer("queries_per_block", map.queriesPerBlock, 0);
    fields.requireNumber("queries", map.queries);
    fields.requireNumber("keys", map.keys);
    fields.requireNumber("kept_share", map.keptShare);
    fields.number("kept_weight", map.keptWeight);
    const json* options = fields.object("options");
    const json* shares = fields.array("kept_share_of_head", kMostRows, true);
    const json* kept = fields.array("kept", kMostKeptBlocks, true);
    const json* weights = fields.array("weights", kMostKeptBlocks, true);
    const json* queryPlaces = fields.array("query_places", kMostKeptBlocks, true);
    const json* keyPlaces = fields.array("key_places", kMostKeptBlocks, true);
    if (auto read = fields.finish(); !read) return read.error();
    if (map.rows == 0 || map.columns == 0 || double(map.rows) * map.columns > kMostPairs ||
        kept->size() != std::size_t(map.rows) || weights->size() != std::size_t(map.rows))
        return wrong(std::to_string(map.rows) + " rows of " + std::to_string(map.columns) +
                     " blocks, at most 4 million pairs, were needed, there are " +
                     std::to_string(kept->size()) + " and " + std::to_string(weights->size()) +
                     " of weights");
    if (auto read = readOptions(options, map); !read) return read.error();
    auto numbers = numbersFrom(shares, "kept blocks: kept_share_of_head");
    if (!numbers) return numbers.error();
    map.keptShareOfHead = *std::move(numbers);
    for (const json& row : *kept)
        if (auto added = addKept(row, map); !added) return added.error();
    for (const json& row : *weights)
        if (auto added = addWeights(row, map); !added) return added.error();
    auto places = placesFrom(*queryPlaces, map.rows);
    if (!places) return places.error();
    map.queryPlaces = *std::move(places);
    places = placesFrom(*keyPlaces, map.columns);
    if (!places) return places.error();
    map.keyPlaces = *std::move(places);
    return map;
}

}  // namespace reelgrid::measurements
