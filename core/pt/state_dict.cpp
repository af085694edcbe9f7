#include "core/pt/state_dict.h"

#include "core/pt/pt_file.h"

namespace reelgrid::pt {
namespace {

const Dict* stateDictOf(const Value& file) {
    const auto* dict = file.as<Dict>();
    const Value* inner = dict == nullptr ? nullptr : dict->find("state_dict");
    return inner == nullptr ? dict : inner->as<Dict>();
}

}  // namespace

bool isPtName(const std::filesystem::path& file) {
    const auto extension = file.extension();
    return extension == ".pth" || extension == ".pt" || extension == ".ckpt" || extension == ".bin";
}

std::filesystem::path stateDictIn(const std::filesystem::path& folder) {
    std::error_code failed;
    for (const char* name : {"diffusion_pytorch_model.bin", "pytorch_model.bin"})
        if (std::filesystem::is_regular_file(folder / name, failed) ||
            std::filesystem::is_symlink(std::filesystem::symlink_status(folder / name, failed)))
            return folder / name;
    return {};
}

Result<std::map<std::string, Tensor>> readStateDict(const std::filesystem::path& file) {
    const auto value = readPt(file);
    if (!value) return value.error();
    std::map<std::string, Tensor> tensors;
    if (const Dict* dict = stateDictOf(*value))
        for (const Entry& entry : dict->entries) {
            const auto* name = entry.key.as<std::string>();
            const auto* tensor = entry.value.as<Tensor>();
            if (name == nullptr || tensor == nullptr) continue;
            // A stride of 0 lets a few bytes look like more than there is memory.
            const std::uint64_t stored = tensor->storage->bytes.size() / safetensors::bytesOf(tensor->type);
            if (static_cast<std::uint64_t>(tensor->elements()) > stored)
                return Error{ErrorCode::InvalidData,
                             file.string() + ": tensor " + safetensors::quotedName(*name) + " of shape " +
                                 safetensors::shapeText(tensor->sizes) + " lies in a storage of " +
                                 std::to_string(stored) + " numbers, one for each was needed"};
            if (!tensors.try_emplace(*name, *tensor).second)
                return Error{ErrorCode::InvalidData, file.string() + ": tensor " +
                                                         safetensors::quotedName(*name) +
                                                         " is there twice, once was needed"};
        }
    if (tensors.empty())
        return Error{ErrorCode::InvalidData,
                     file.string() + ": holds no named tensors, a state dict was needed"};
    return tensors;
}

Result<safetensors::TensorEntries> weightHeaderOf(const std::filesystem::path& file) {
    if (!isPtName(file)) return safetensors::readHeaderOf(file);
    const auto tensors = readStateDict(file);
    if (!tensors) return tensors.error();
    safetensors::TensorEntries entries;
    for (const auto& [name, tensor] : *tensors)
        entries[name] = {
            .dtype = tensor.type,
            .shape = tensor.sizes,
            .begin = 0,
            .bytes = static_cast<std::uint64_t>(tensor.elements()) * safetensors::bytesOf(tensor.type)};
    return entries;
}

}  // namespace reelgrid::pt
