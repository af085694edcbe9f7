#include "core/families/component_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "core/base/folder.h"
#include "core/base/result.h"
#include "core/pt/state_dict.h"
#include "core/safetensors/weight_folder.h"

namespace reelgrid::families {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSettings{".json", ".txt", ".model"};
/// As Wan's authors call their VAEs.
constexpr std::array kOriginalVaes{"Wan2.1_VAE.pth", "Wan2.2_VAE.pth"};

/// The names of the files of weights; nothing where the index of shards is damaged, which the loader says.
std::optional<std::set<std::string>> weightNamesIn(const fs::path& folder) {
    const fs::path stored = safetensors::weightsIn(folder);
    if (stored.empty()) return std::set{pt::stateDictIn(folder).filename().string()};
    if (stored.extension() != ".json") return std::set{stored.filename().string()};
    std::set<std::string> names;
    try {
        for (const auto& [tensor, shard] : safetensors::shardsOf(stored)) names.insert(shard);
    } catch (const Failure&) {
        return std::nullopt;
    }
    return names;
}

}  // namespace

std::vector<fs::path> readFilesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    const auto entries = entriesOf(folder);
    if (!entries) return files;
    const auto weights = weightNamesIn(folder);
    const auto isRead = [&](const fs::path& file) {
        const std::string name = file.filename().string(), kind = file.extension().string();
        if (name.starts_with('.')) return false;
        return std::ranges::find(kSettings, kind) != kSettings.end() ||
               std::ranges::find(kOriginalVaes, name) != kOriginalVaes.end() ||
               (weights ? weights->contains(name) : kind == ".safetensors");
    };
    for (const auto& entry : *entries) {
        std::error_code failed;
        if (isRead(entry.path()) && entry.is_regular_file(failed)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace reelgrid::families
