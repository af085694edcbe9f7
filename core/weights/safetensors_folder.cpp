#include "core/weights/safetensors_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/pending_file.h"
#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kIndexSuffix = ".safetensors.index.json";

/// The shard files that an index names; each must be a plain file name, so that none lies outside the folder.
std::vector<fs::path> shardsOf(const fs::path& index) {
    const json parsed = json::parse(readFile(index).value(), nullptr, false);
    const auto map = parsed.is_object() ? parsed.find("weight_map") : parsed.end();
    if (!parsed.is_object() || map == parsed.end() || !map->is_object() || map->empty())
        throw Failure(ErrorCode::InvalidData, index.string() + ": it has no weight_map");
    std::set<std::string> names;
    for (const auto& [tensor, shard] : map->items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        if (name.empty() || fs::path(name).filename() != name || name == "..")
            throw Failure(ErrorCode::InvalidData, index.string() + ": tensor " + tensor + " is in \"" + name +
                                                      "\", a file name inside the folder was needed");
        names.insert(name);
    }
    std::vector<fs::path> paths;
    for (const std::string& name : names) paths.push_back(index.parent_path() / name);
    return paths;
}

std::vector<fs::path> weightFilesOf(const fs::path& folder) {
    std::error_code failed;
    for (const char* stem : {"diffusion_pytorch_model", "model"}) {
        const fs::path index = folder / (std::string(stem) + kIndexSuffix);
        if (fs::exists(index, failed)) return shardsOf(index);
        const fs::path single = folder / (std::string(stem) + ".safetensors");
        if (fs::exists(single, failed)) return {single};
    }
    throw Failure(ErrorCode::NotFound,
                  folder.string() +
                      ": neither diffusion_pytorch_model.safetensors nor model.safetensors nor an index of "
                      "shards is there");
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const fs::path& folder) : m_folder(folder) {
    for (const fs::path& path : weightFilesOf(folder)) addFile(path);
}

void SafetensorsFolder::addFile(const fs::path& path) {
    const auto file = MappedFile::open(path);
    for (auto& [name, entry] : readSafetensorsHeader(file->bytes(), path.string()))
        if (!m_tensors.try_emplace(name, Stored{file, std::move(entry)}).second)
            throw Failure(ErrorCode::InvalidData,
                          path.string() + ": tensor " + name + " is in another shard too");
    m_paths.push_back(path);
}

std::vector<std::string> SafetensorsFolder::names() const {
    std::vector<std::string> names;
    for (const auto& [name, stored] : m_tensors) names.push_back(name);
    return names;
}

at::Tensor SafetensorsFolder::require(const std::string& name, at::IntArrayRef shape) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        throw Failure(ErrorCode::InvalidData, m_folder.string() + ": tensor " + name + " is missing");
    const Stored& stored = found->second;
    if (at::IntArrayRef(stored.entry.shape) != shape) {
        std::ostringstream text;
        text << m_folder.string() << ": tensor " << name << " has shape "
             << at::IntArrayRef(stored.entry.shape) << ", the config needs " << shape;
        throw Failure(ErrorCode::InvalidData, text.str());
    }
    const char* data = stored.file->bytes().data() + stored.entry.begin;
    const auto options = at::TensorOptions().dtype(stored.entry.dtype);
    // Older writers don't align: such a tensor is copied, because kernels need aligned elements.
    if (reinterpret_cast<std::uintptr_t>(data) % at::elementSize(stored.entry.dtype) != 0) {
        at::Tensor copy = at::empty(shape, options);
        std::copy_n(data, stored.entry.bytes, static_cast<char*>(copy.data_ptr()));
        return copy;
    }
    return at::from_blob(
        const_cast<char*>(data), shape, [file = stored.file](void*) {}, options);
}

}  // namespace reelgrid::weights
