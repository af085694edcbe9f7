#include "core/result/model_hashes.h"

#include "core/protocol/lora_choice.h"
#include "core/safetensors/lora_settings.h"

namespace reelgrid::result {
namespace {

/// "lora 1: detail.safetensors"
Result<void> addLoras(const std::string& what, const std::vector<std::string>& loras, ComponentHasher& hasher,
                      std::map<std::string, std::string>& hashes, const std::stop_token& stop) {
    if (protocol::isNoLora(loras)) return {};
    for (std::size_t i = 0; i < loras.size(); ++i) {
        const auto choice = protocol::LoraChoice::from(loras[i]);
        if (!choice) return choice.error();
        const auto hash = hasher.hashFile(choice->file, stop);
        if (!hash) return hash.error().in("--lora");
        const std::string lora = what + " " + std::to_string(i + 1) + ": ";
        hashes[lora + hash->name] = hash->sha256;
        const auto config = safetensors::adapterConfigOf(choice->file);
        if (!config) continue;
        const auto configHash = hasher.hashFile(*config, stop);
        if (!configHash) return configHash.error().in("--lora");
        hashes[lora + configHash->name] = configHash->sha256;
    }
    return {};
}

}  // namespace

Result<std::map<std::string, std::string>> modelHashes(const families::ModelInfo& model,
                                                       const catalog::RenderSettings& settings,
                                                       ComponentHasher& hasher, const std::stop_token& stop) {
    std::vector<std::filesystem::path> files;
    for (const families::ComponentInfo& component : model.components)
        files.insert(files.end(), component.files.begin(), component.files.end());
    if (auto learnt = hasher.learn(files, stop); !learnt) return learnt.error();
    std::map<std::string, std::string> hashes;
    if (!model.indexFile.empty()) {
        auto index = hasher.hashFile(model.indexFile);
        if (!index) return index.error();
        hashes[index->name] = index->sha256;
    }
    for (const families::ComponentInfo& component : model.components) {
        auto hash = hasher.hash(component.files);
        if (!hash) return hash.error();
        hashes[component.name] = hash->sha256;
    }
    if (auto added = addLoras("lora", settings.lora, hasher, hashes, stop); !added) return added.error();
    if (auto added = addLoras("lora_2", settings.lora2, hasher, hashes, stop); !added) return added.error();
    return hashes;
}

std::map<std::string, std::string> modelPaths(const families::ModelInfo& model) {
    std::map<std::string, std::string> paths;
    for (const families::ComponentInfo* component : model.componentsElsewhere())
        paths[component->name] = component->path.string();
    return paths;
}

}  // namespace reelgrid::result
