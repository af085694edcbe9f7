#include <string>

#include "core/base/json.h"
#include "core/catalog/model_folder.h"
#include "core/families/model_index.h"
#include "core/families/model_layout.h"
#include "core/pt/pt_file.h"
#include "core/pt/state_dict.h"
#include "core/pt/unpickler.h"
#include "core/safetensors/header.h"
#include "core/safetensors/lora_settings.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/targets/targets.h"

namespace reelgrid::fuzz {
namespace {

/// What the header says of a tensor lies within the file.
void requireInside(const safetensors::TensorEntries& tensors, std::size_t fileBytes) {
    for (const auto& [name, entry] : tensors)
        promise(entry.begin <= fileBytes && entry.bytes <= fileBytes - entry.begin,
                "tensor " + name + " lies outside the file");
}

void requireInside(const pt::Tensor& tensor) {
    if (tensor.elements() == 0) return;
    std::int64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i) last += (tensor.sizes[i] - 1) * tensor.strides[i];
    promise(tensor.offset >= 0 && last >= 0, "a tensor begins before its storage");
    const std::uint64_t end = (static_cast<std::uint64_t>(last) + 1) * safetensors::bytesOf(tensor.type);
    promise(end <= tensor.storage->bytes.size(), "a tensor ends behind its storage");
}

}  // namespace

void readSafetensors(std::string_view bytes) {
    requireInside(safetensors::readHeader(bytes, "weights.safetensors"), bytes.size());
    static_cast<void>(safetensors::readMetadata(bytes, "weights.safetensors"));
}

void readPtFile(std::string_view bytes) {
    const auto file = scratchFile("weights.pth", bytes);
    const auto tensors = pt::readStateDict(file).value();
    for (const auto& [name, tensor] : tensors) requireInside(tensor);
}

void readPickle(std::string_view bytes) {
    static const std::string kData(64, '\x3f');
    static const auto kStorage = std::make_shared<const pt::Storage>(pt::Storage{kData, nullptr});
    static_cast<void>(pt::unpickled(bytes, [](const std::string&, std::uint64_t) { return kStorage; }));
}

void readLoraSettings(std::string_view bytes) {
    // As adapter_config.json beside a file of weights, and as the header of one.
    const auto bare = scratchFile("adapter/adapter_model.safetensors", std::string("\2\0\0\0\0\0\0\0{}", 10));
    scratchFile("adapter/adapter_config.json", bytes);
    const std::string text =
        printJson(nlohmann::json{{"__metadata__", {{"lora_adapter_metadata", std::string(bytes)}}}});
    std::string header(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) header[i] = static_cast<char>(text.size() >> (8 * i));
    const auto named = scratchFile("lora.safetensors", header + text);
    for (const auto& file : {bare, named}) {
        const auto settings = safetensors::LoraSettings::of(file);
        if (!settings) continue;
        for (const char* module : {"blocks.0.attn1.to_q", "transformer.blocks.11.ffn.net.2"}) {
            const std::string names[] = {module};
            for (const std::int64_t rank : {1, 4, 64})
                for (const auto part :
                     {safetensors::LoraComponent::Denoiser, safetensors::LoraComponent::Transformer,
                      safetensors::LoraComponent::Unet, safetensors::LoraComponent::TextEncoder})
                    static_cast<void>(settings->strengthOf(part, names, rank));
        }
    }
}

void readSingleFile(std::string_view bytes) {
    const auto file = scratchFile("model/model.safetensors", bytes);
    const auto index = families::ModelIndex::read(file);
    static_cast<void>(catalog::readModelFolder(file).value());
    static_cast<void>(catalog::neededComponents(*index));
}

void readModelIndex(std::string_view bytes) {
    // One JSON for the index and every configuration: keys of all are looked for.
    for (const char* name : {"model_index.json", "transformer/config.json", "unet/config.json",
                             "vae/config.json", "scheduler/scheduler_config.json", "text_encoder/config.json",
                             "reelgrid.json", "motion_adapter/config.json", "image_encoder/config.json"})
        scratchFile(std::string("folder/") + name, bytes);
    static_cast<void>(catalog::readModelFolder(scratchFolder() / "folder").value());
}

}  // namespace reelgrid::fuzz
