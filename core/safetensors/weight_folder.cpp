#include "core/safetensors/weight_folder.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::safetensors {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIndexBytes = std::size_t{16} << 20;

/// A shard is a file of the folder itself, whatever an index from elsewhere says.
bool isPlainFileName(const std::string& name) {
    return name.ends_with(".safetensors") && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

}  // namespace

fs::path weightsIn(const fs::path& folder) {
    std::error_code failed;
    for (const std::string variant : {"", ".fp16"})
        for (const auto& [stem, isShardsFirst] :
             {std::pair{"diffusion_pytorch_model", true}, std::pair{"model", false}}) {
            const fs::path whole = folder / (stem + variant + ".safetensors"),
                           index = folder / (std::string(stem) + ".safetensors.index" + variant + ".json");
            for (const fs::path& each : isShardsFirst ? std::array{index, whole} : std::array{whole, index})
                if (fs::exists(fs::symlink_status(each, failed))) return each;
        }
    return {};
}

std::map<std::string, std::string> shardsOf(const fs::path& index) {
    const nlohmann::json json = readJsonObject(index, kMaxIndexBytes).value();
    const auto map = json.find("weight_map");
    if (map == json.end() || !map->is_object() || map->empty())
        throw Failure(ErrorCode::InvalidData, index.string() + ": it has no weight_map");
    std::map<std::string, std::string> shards;
    for (const auto& [tensor, shard] : map->items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        if (!isPlainFileName(name))
            throw Failure(ErrorCode::InvalidData, index.string() + ": tensor " + quotedName(tensor) +
                                                      " is in " + quotedName(name) +
                                                      ", a .safetensors file inside the folder was needed");
        shards[tensor] = name;
    }
    return shards;
}

}  // namespace reelgrid::safetensors
