#include "core/hub/needed_files.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = "model_index.json";

bool isSmall(const fs::path& path) {
    const fs::path extension = path.extension();
    return extension == ".json" || extension == ".txt" || extension == ".model";
}

/// The two names that loaders look for, and their shards.
bool isWhole(const std::string& name) {
    return name == "diffusion_pytorch_model.safetensors" || name == "model.safetensors";
}
bool isShard(const std::string& name) {
    static const std::regex shard(R"((diffusion_pytorch_model|model)-\d{5}-of-\d{5}\.safetensors)");
    return std::regex_match(name, shard);
}

}  // namespace

std::vector<RemoteFile> neededFiles(const std::vector<RemoteFile>& all,
                                    const std::vector<std::string>& components) {
    std::set<fs::path> sharded;
    for (const RemoteFile& file : all) {
        const fs::path path(file.path);
        if (isShard(path.filename().string())) sharded.insert(path.parent_path());
    }
    std::vector<RemoteFile> needed;
    for (const RemoteFile& file : all) {
        const fs::path path(file.path);
        const std::string name = path.filename().string(), folder = path.parent_path().string();
        if (std::find(components.begin(), components.end(), folder) == components.end()) continue;
        if (isSmall(path) || isShard(name) || (isWhole(name) && !sharded.contains(path.parent_path())))
            needed.push_back(file);
    }
    for (const RemoteFile& file : all)
        if (file.path == kIndex) needed.push_back(file);
    return needed;
}

}  // namespace reelgrid::hub
