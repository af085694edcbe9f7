#include "core/weights/safetensors_folder.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "core/base/folder.h"
#include "core/base/joined.h"
#include "core/base/link_check.h"
#include "core/base/result.h"
#include "core/safetensors/tensor_hashes.h"
#include "core/safetensors/weight_folder.h"
#include "core/weights/scalar_type.h"
#include "core/weights/scaled_fp8.h"
#include "core/weights/shape_check.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using safetensors::quotedName;
using safetensors::TensorEntry;

constexpr const char* kNeeded =
    "diffusion_pytorch_model.safetensors, model.safetensors or an index of shards";

/// "blocks.3.attn1.to_q.weight" → "blocks.#.attn1.to_q.weight", the same layer of every block.
std::string kindOfLayer(const std::string& name) {
    std::string kind;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        const bool isNumber = part.find_first_not_of("0123456789") == part.npos;
        kind += (begin == 0 ? "" : ".") + (isNumber ? "#" : part);
        begin = end + 1;
    }
    return kind;
}

/// Why there is nothing to load: what the folder has in place of what is needed.
[[noreturn]] void throwNothingToLoad(const fs::path& folder) {
    if (auto fault = faultOfPlace(folder)) throw Failure(*std::move(fault));
    std::error_code failed;
    if (!fs::is_directory(folder, failed))
        throw Failure(ErrorCode::NotFound, folder.string() + ": no such file or folder of weights");
    std::set<std::string> others;
    const auto files = entriesOf(folder).value();
    for (const auto& file : files) {
        const fs::path extension = file.path().extension();
        if (extension == ".safetensors" || extension == ".bin" || extension == ".pt" || extension == ".pth")
            others.insert(file.path().filename().string());
    }
    if (others.empty())
        throw Failure(ErrorCode::NotFound, folder.string() + ": has no weights, " + kNeeded + " was needed");
    throw Failure(ErrorCode::Unsupported, folder.string() + ": has " + quotedName(*others.begin()) +
                                              ", but " + kNeeded + " was needed");
}

/// It stands below the prefix that all names of the file may have.
bool isMarker(const std::string& name) {
    return name == kScaledFp8Marker || name.ends_with(kScaledFp8MarkerBelow);
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const fs::path& folder) : m_folder(folder) {
    std::error_code failed;
    if (fs::is_regular_file(folder, failed)) {
        addFile(folder);
        noteScaledLayers();
        return;
    }
    const fs::path stored = safetensors::weightsIn(folder);
    if (stored.empty()) throwNothingToLoad(folder);
    if (auto fault = faultOfLink(stored)) throw Failure(*std::move(fault));
    if (stored.extension() == ".json")
        addShards(stored);
    else
        addFile(stored);
    noteScaledLayers();
}

bool SafetensorsFolder::isOne(const fs::path& folder) {
    return !safetensors::weightsIn(folder).empty();
}

void SafetensorsFolder::addFile(const fs::path& path) {
    const auto file = safetensors::MappedFile::open(path);
    for (auto& [name, entry] : safetensors::readHeader(file->bytes(), path.string()))
        if (!m_tensors.try_emplace(name, Stored{file, std::move(entry), m_paths.size()}).second)
            throw Failure(ErrorCode::InvalidData,
                          path.string() + ": tensor " + quotedName(name) + " is in another shard too");
    m_paths.push_back(path);
}

void SafetensorsFolder::addShards(const fs::path& index) {
    const std::map<std::string, std::string> shardOf = safetensors::shardsOf(index);
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : shardOf) shards.insert(shard);
    for (const std::string& shard : shards) addFile(index.parent_path() / shard);
    for (const auto& [tensor, shard] : shardOf)
        if (!has(tensor))
            throw Failure(ErrorCode::InvalidData, index.string() + ": tensor " + quotedName(tensor) +
                                                      " should be in " + quotedName(shard) + ", but isn't");
}

std::vector<std::string> SafetensorsFolder::names() const {
    std::vector<std::string> names;
    for (const auto& [name, stored] : m_tensors)
        if (!belongsToScaledFp8(name)) names.push_back(name);
    return names;
}

void SafetensorsFolder::requireUnchanged() const {
    for (const fs::path& path : m_paths)
        safetensors::requireUnchanged(safetensors::MappedFile::open(path)->bytes(), path.string(),
                                      safetensors::Hashes::WhereKept);
}

std::optional<std::vector<std::int64_t>> SafetensorsFolder::shapeOf(const std::string& name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) return std::nullopt;
    return found->second.entry.shape;
}

at::ScalarType SafetensorsFolder::typeOf(const std::string& name) const {
    return scalarTypeOf(m_tensors.at(name).entry.dtype);
}

std::string SafetensorsFolder::whereIs(const std::string& name) const {
    const auto found = m_tensors.find(name);
    const fs::path& where = found == m_tensors.end() ? m_folder : m_paths.at(found->second.path);
    return where.string() + ": tensor " + quotedName(name);
}

bool SafetensorsFolder::belongsToScaledFp8(const std::string& name) const {
    if (isMarker(name)) return true;
    const auto weight = m_tensors.find(weightNameOf(name));
    return weight != m_tensors.end() && isFp8(scalarTypeOf(weight->second.entry.dtype));
}

at::Tensor SafetensorsFolder::require(const std::string& name, at::IntArrayRef shape) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) throwMissing(m_folder.string(), name, shape);
    const TensorEntry& entry = found->second.entry;
    requireShape(m_folder.string(), name, entry.shape, shape);
    const at::Tensor tensor = view(found->second);
    if (!isFp8(scalarTypeOf(entry.dtype))) {
        requireNoScaleOf(name, tensor);
        return tensor;
    }
    const auto scale = scaleOf(name);
    requireNoOtherScale(name, scale);
    if (scale != m_tensors.end()) return dequantised(tensor, view(scale->second), whereIs(scale->first));
    requireNoLostScale(name);
    return tensor;
}

void SafetensorsFolder::noteScaledLayers() {
    bool isMarked = false;
    std::size_t scaled = 0, unscaled = 0;
    std::map<std::string, int> unscaledOfKind;
    for (const auto& [name, stored] : m_tensors) {
        isMarked = isMarked || isMarker(name);
        if (!isFp8(scalarTypeOf(stored.entry.dtype)) || !name.ends_with(".weight")) continue;
        const bool isScaled = scaleOf(name) != m_tensors.end();
        if (isScaled) m_scaledLayers.try_emplace(kindOfLayer(name), name);
        (isScaled ? scaled : unscaled)++;
        if (!isScaled && stored.entry.shape.size() > 1) ++unscaledOfKind[kindOfLayer(name)];
    }
    if (!isMarked) return;
    m_lostScales = unscaled > scaled;
    // Two may be one embedding's, as text_embedding.0 and .2.
    for (const auto& [kind, layers] : unscaledOfKind)
        if (layers > 2 && !m_scaledLayers.contains(kind)) m_lostKinds.insert(kind);
}

/// Where a weight was put into another dtype, its scale may be left, which would change it once more.
void SafetensorsFolder::requireNoScaleOf(const std::string& weightName, const at::Tensor& weight) {
    const auto scale = scaleOf(weightName);
    if (scale == m_tensors.end() || !weight.is_floating_point()) return;
    const at::Tensor factors = view(scale->second);
    if (!factors.is_floating_point() || factors.to(at::kFloat).eq(1).all().item<bool>()) return;
    throw Failure(ErrorCode::InvalidData, whereIs(scale->first) + " scales " + quotedName(weightName) +
                                              ", which is in " + at::toString(weight.scalar_type()) +
                                              "; a weight in FP8, or a scale of 1, was needed");
}

void SafetensorsFolder::requireNoLostScale(const std::string& weightName) const {
    if (m_lostScales)
        throw Failure(ErrorCode::InvalidData,
                      whereIs(weightName) + " is in FP8 without a scale, as most are, in a file marked " +
                          quotedName(std::string(kScaledFp8Marker)) + ": " +
                          quotedName(joined(scaleNamesOf(weightName), " or ")) + " was needed");
    const std::string kind = kindOfLayer(weightName);
    if (m_lostKinds.contains(kind))
        throw Failure(ErrorCode::InvalidData,
                      whereIs(weightName) +
                          " is in FP8 without a scale, as in all blocks, in a file marked " +
                          quotedName(std::string(kScaledFp8Marker)) + ": " +
                          quotedName(joined(scaleNamesOf(weightName), " or ")) + " was needed");
    const auto other = m_scaledLayers.find(kind);
    if (other == m_scaledLayers.end()) return;
    throw Failure(ErrorCode::InvalidData,
                  whereIs(weightName) + " is in FP8 without a scale, which " + quotedName(other->second) +
                      " has: " + quotedName(joined(scaleNamesOf(weightName), " or ")) + " was needed");
}

/// The first of the names that are read; the end where none is there.
SafetensorsFolder::Tensors::const_iterator SafetensorsFolder::scaleOf(const std::string& weightName) const {
    for (const std::string& name : scaleNamesOf(weightName))
        if (const auto found = m_tensors.find(name); found != m_tensors.end()) return found;
    return m_tensors.end();
}

/// Without its factors FP8 is another matrix: those of forms that aren't read here are known by their names,
/// such as q.weight_scale_inv beside q.weight.
void SafetensorsFolder::requireNoOtherScale(const std::string& weightName,
                                            Tensors::const_iterator known) const {
    const auto other =
        scaleBeside(m_tensors, weightName, known == m_tensors.end() ? std::string() : known->first);
    if (other == m_tensors.end()) return;
    throw Failure(ErrorCode::Unsupported, whereIs(other->first) + " scales " + quotedName(weightName) +
                                              ", which is in FP8; this version reads one of " +
                                              quotedName(joined(scaleNamesOf(weightName), " and ")));
}

at::Tensor SafetensorsFolder::view(const Stored& stored) {
    const auto& file = stored.file;
    const TensorEntry& entry = stored.entry;
    const at::IntArrayRef shape(entry.shape);
    const auto options = at::TensorOptions().dtype(scalarTypeOf(entry.dtype));
    if (entry.bytes == 0) return at::empty(shape, options);
    const char* data = file->bytes().data() + entry.begin;
    // Older writers don't align: such a tensor is copied, because kernels need aligned elements.
    if (reinterpret_cast<std::uintptr_t>(data) % safetensors::bytesOf(entry.dtype) != 0) {
        at::Tensor copy = at::empty(shape, options);
        std::memcpy(copy.mutable_data_ptr(), data, entry.bytes);
        file->release(entry.begin, entry.bytes);
        return copy;
    }
    const auto release = [map = file, begin = entry.begin, bytes = entry.bytes](void*) {
        map->release(begin, bytes);
    };
    return at::from_blob(const_cast<char*>(data), shape, release, options);
}

}  // namespace reelgrid::weights
