#include "core/weights/safetensors_writer.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/weights/safetensors_header.h"

namespace reelgrid::weights {
namespace {

using nlohmann::json;

constexpr std::size_t kAlignment = 8;

std::string headerOf(const std::map<std::string, at::Tensor>& tensors,
                     const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::size_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        const std::size_t end = offset + tensor.nbytes();
        header[name] = {{"dtype", safetensorsNameOf(tensor.scalar_type())},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    return text;
}

}  // namespace

Result<void> writeSafetensors(const std::filesystem::path& path,
                              const std::map<std::string, at::Tensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    auto pending = PendingFile::create(path);
    if (!pending) return pending.error();
    std::ofstream file(pending->path(), std::ios::binary);
    const std::string header = headerOf(tensors, metadata);
    const std::uint64_t length = header.size();
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor plain = tensor.cpu().contiguous();
        file.write(static_cast<const char*>(plain.const_data_ptr()),
                   static_cast<std::streamsize>(plain.nbytes()));
    }
    file.close();
    if (!file) return Error{ErrorCode::Io, "can't write " + path.string() + ": " + std::strerror(errno)};
    return pending->commit();
}

}  // namespace reelgrid::weights
