#include "core/result/call_map_json.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using protocol::BackendChoice;
using protocol::CallMap;
using protocol::CallMaps;
using protocol::FieldReader;

constexpr std::size_t kMaxMaps = 64;
constexpr std::size_t kMaxChoices = 1024;
constexpr std::size_t kMaxMapSites = 100000;

json jsonOf(const CallMap& map) {
    json steps = json::array();
    for (int step = 0; step < map.steps; ++step) {
        json layers = json::array();
        for (int layer = 0; layer < map.layers; ++layer)
            layers.push_back(map.at(layer, step) < 0 ? json(nullptr) : json(map.at(layer, step)));
        steps.push_back(std::move(layers));
    }
    json object = {
        {"module", protocol::nameOf(map.kind)}, {"layers", map.layers}, {"steps", std::move(steps)}};
    if (map.branch) object["branch"] = protocol::nameOf(*map.branch);
    return object;
}

Error wrong(const std::string& message) {
    return {ErrorCode::InvalidData, "calls: " + message};
}

Result<void> readBranch(const std::string& name, CallMap& map) {
    if (name.empty()) return {};
    for (const auto branch : {protocol::GuidanceBranch::Conditional, protocol::GuidanceBranch::Unconditional})
        if (name == protocol::nameOf(branch)) map.branch = branch;
    if (map.branch) return {};
    return wrong("branch " + showJson(json(name)) + ": conditional or unconditional was needed");
}

Result<void> readSites(const json& steps, std::size_t choices, CallMap& map) {
    map.steps = int(steps.size());
    if (std::size_t(map.layers) * steps.size() > kMaxMapSites)
        return wrong("more than " + std::to_string(kMaxMapSites) + " places");
    for (const json& layers : steps) {
        if (!layers.is_array() || layers.size() != std::size_t(map.layers))
            return wrong("steps: lists of " + std::to_string(map.layers) + " layers were needed");
        for (const json& site : layers) {
            const bool known = site.is_number_unsigned() && site.get<std::uint64_t>() < choices;
            if (!known && !site.is_null())
                return wrong("steps: " + showJson(site) + ": null or the number of one of " +
                             std::to_string(choices) + " choices was needed");
            map.sites.push_back(known ? site.get<int>() : -1);
        }
    }
    return {};
}

Result<CallMap> mapFromJson(const json& object, std::size_t choices) {
    CallMap map;
    std::string module, branch;
    FieldReader fields(object, "calls", ErrorCode::InvalidData);
    fields.requireText("module", module, kMaxNameBytes);
    fields.text("branch", branch, kMaxNameBytes);
    fields.integer("layers", map.layers, 0);
    const json* steps = fields.array("steps", kMaxEntries, true);
    const auto kind = protocol::moduleKindFrom(module);
    if (!kind)
        fields.fail("module " + showJson(json(module)) + ": self, cross, joint or temporal was needed");
    if (auto read = fields.finish(); !read) return read.error();
    map.kind = *kind;
    if (auto read = readBranch(branch, map); !read) return read.error();
    if (auto read = readSites(*steps, choices, map); !read) return read.error();
    return map;
}

}  // namespace

json toJson(const CallMaps& maps) {
    json choices = json::array(), list = json::array();
    for (const BackendChoice& choice : maps.choices)
        choices.push_back({{"requested", choice.requested}, {"used", choice.used}, {"why", choice.why}});
    for (const CallMap& map : maps.maps) list.push_back(jsonOf(map));
    return {{"choices", std::move(choices)}, {"maps", std::move(list)}};
}

Result<CallMaps> callMapsFromJson(const json& object) {
    CallMaps maps;
    FieldReader fields(object, "calls", ErrorCode::InvalidData);
    const json* choices = fields.array("choices", kMaxChoices, true);
    const json* list = fields.array("maps", kMaxMaps, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const json& entry : *choices) {
        BackendChoice& choice = maps.choices.emplace_back();
        FieldReader inner(entry, "calls", ErrorCode::InvalidData);
        inner.requireText("requested", choice.requested, kMaxNameBytes);
        inner.requireText("used", choice.used, kMaxNameBytes);
        inner.text("why", choice.why);
        if (auto read = inner.finish(); !read) return read.error();
    }
    for (const json& entry : *list) {
        auto map = mapFromJson(entry, maps.choices.size());
        if (!map) return map.error();
        maps.maps.push_back(*std::move(map));
    }
    return maps;
}

}  // namespace reelgrid::result
