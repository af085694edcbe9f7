#include "core/plugins/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/plugins/crash_report.h"
#include "core/plugins/description_json.h"
#include "core/plugins/floating_point_state.h"
#include "core/plugins/plugin_file.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostBackends = 64;

Error invalid(const std::string& what) {
    return {ErrorCode::InvalidData, what};
}

/// A library that came with the program ("torch_operator"), else a path, relative to the recipe's folder.
fs::path libraryNamed(const std::string& name, const fs::path& recipe) {
    if (name.find('/') == std::string::npos && !name.ends_with(".so")) {
        const std::string file = "libreelgrid_" + name + ".so";
        const fs::path installed = executableFolder().parent_path() / "lib" / "reelgrid" / file;
        std::error_code failed;
        return fs::exists(installed, failed) ? installed : executableFolder() / file;
    }
    return recipe.parent_path() / name;
}

template <class Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

/// Those that this program knows, its own first.
constexpr std::array<std::uint32_t, 2> kAbis{REELGRID_BACKEND_ABI, 1};

/// Of a backend of that ABI, at least.
constexpr std::size_t sizeIn(std::uint32_t abi) {
    return abi == 1 ? offsetof(reelgrid_backend, options) : sizeof(reelgrid_backend);
}

/// Before anything but its size and version is believed.
Result<void> checkLayout(const reelgrid_backend* backend, std::uint32_t abi) {
    if (backend->size < sizeIn(abi))
        return invalid("its backend has a size of " + std::to_string(backend->size) + " bytes, at least " +
                       std::to_string(sizeIn(abi)) + " were needed");
    if (backend->abi != abi)
        return invalid("its backend is of ABI " + std::to_string(backend->abi) + ", " + std::to_string(abi) +
                       " was needed");
    return {};
}

std::vector<const reelgrid_backend*> backendsAt(reelgrid_backend_at_function at, std::uint32_t abi) {
    std::vector<const reelgrid_backend*> found;
    while (found.size() <= kMostBackends) {
        const reelgrid_backend* backend = at(abi, static_cast<std::uint32_t>(found.size()));
        if (backend == nullptr) break;
        found.push_back(backend);
    }
    return found;
}

Result<std::vector<const reelgrid_backend*>> backendsOf(void* library, const PluginSource& source) {
    std::vector<const reelgrid_backend*> found;
    std::uint32_t abi = REELGRID_BACKEND_ABI;
    if (!source.recipe.empty()) {
        const auto make =
            symbol<reelgrid_backend_from_recipe_function>(library, "reelgrid_backend_from_recipe");
        if (make == nullptr) return invalid(source.library.string() + " takes no recipes");
        // A plug-in of an earlier ABI refuses this one; what others refuse they refuse again.
        const reelgrid_backend* backend = nullptr;
        std::array<char, 1024> why{}, again{};
        for (auto known = kAbis.begin(); backend == nullptr && known != kAbis.end(); ++known) {
            auto& refusal = known == kAbis.begin() ? why : again;
            backend = make(abi = *known, source.recipe.c_str(), refusal.data(), refusal.size());
        }
        if (backend == nullptr) return invalid(std::string(why.data(), strnlen(why.data(), why.size())));
        found.push_back(backend);
    } else {
        const auto at = symbol<reelgrid_backend_at_function>(library, "reelgrid_backend_at");
        if (at == nullptr) return invalid("it exports no reelgrid_backend_at()");
        for (auto known = kAbis.begin(); found.empty() && known != kAbis.end(); ++known)
            found = backendsAt(at, abi = *known);
        if (found.empty())
            return invalid("it has no backend of ABI 1 to " + std::to_string(REELGRID_BACKEND_ABI));
    }
    if (found.size() > kMostBackends)
        return invalid("it has more than " + std::to_string(kMostBackends) +
                       " backends, no more were needed");
    for (const reelgrid_backend* backend : found)
        if (auto fits = checkLayout(backend, abi); !fits) return fits.error();
    return found;
}

std::string textOf(const char* text, std::size_t mostBytes) {
    return text == nullptr ? std::string() : std::string(text, strnlen(text, mostBytes));
}

/// Bits that nothing is known of were meant for something.
Result<void> requireKnown(const char* field, std::uint32_t bits, std::uint32_t known,
                          const std::string& names) {
    if ((bits & ~known) == 0) return {};
    return invalid(std::string(field) + " " + std::to_string(bits) + ": a sum of " + names + " was needed");
}

Result<void> requireKnownBits(const reelgrid_backend& backend) {
    constexpr std::uint32_t kKnownDevices = REELGRID_BIT(REELGRID_CPU) | REELGRID_BIT(REELGRID_CUDA),
                            kKnownTypes = REELGRID_BIT(REELGRID_FP32) | REELGRID_BIT(REELGRID_BF16) |
                                          REELGRID_BIT(REELGRID_FP16),
                            kKnownFeatures = REELGRID_CAUSAL | REELGRID_KEY_BIAS | REELGRID_SHARED_KEYS |
                                             REELGRID_LOG_SUM_EXP;
    if (auto known = requireKnown("devices", backend.devices, kKnownDevices, "1 (cpu) and 2 (cuda)"); !known)
        return known;
    if (auto known = requireKnown("dtypes", backend.dtypes, kKnownTypes, "1 (fp32), 2 (bf16) and 4 (fp16)");
        !known)
        return known;
    return requireKnown("features", backend.features, kKnownFeatures,
                        "1 (causal), 2 (key_bias), 4 (shared_keys) and 8 (log_sum_exp)");
}

}  // namespace

Result<PluginSource> sourceOf(const fs::path& file) {
    if (auto there = requirePluginFile(file); !there) return there.error();
    if (file.extension() != ".json") return PluginSource{file, {}, {}};
    const auto recipe = readJsonObject(file, kMostRecipeBytes, RepeatedKeys::Refused);
    if (!recipe) return recipe.error();
    const auto plugin = recipe->find("plugin");
    if (plugin == recipe->end() || !plugin->is_string())
        return invalid(file.string() + ": \"plugin\" with the library's name was needed");
    const fs::path library = libraryNamed(plugin->get<std::string>(), file);
    if (auto there = requirePluginFile(library); !there)
        return there.error().in(file.string() + ": its plug-in");
    PluginSource source{library, file, {}};
    const auto loaded = recipe->find("library");
    if (loaded != recipe->end() && loaded->is_string() && !loaded->get<std::string>().empty())
        source.loaded = file.parent_path() / loaded->get<std::string>();
    return source;
}

Result<std::string> pluginHash(const fs::path& file) {
    const auto source = sourceOf(file);
    if (!source) return source.error();
    if (source->recipe.empty()) return sha256OfFile(file);
    std::string lines;
    for (const fs::path& part : {source->recipe, source->library, source->loaded}) {
        std::error_code failed;
        if (!fs::is_regular_file(part, failed)) continue;  // whoever loads it says so
        if (auto fits = requirePluginFile(part); !fits) return fits.error().in(file.string());
        auto hash = sha256OfFile(part);
        if (!hash) return hash;
        lines += *hash + "  " + part.filename().string() + "\n";
    }
    return sha256Hex(lines);
}

Result<std::shared_ptr<const PluginLibrary>> PluginLibrary::open(const fs::path& file) {
    const auto source = sourceOf(file);
    if (!source) return source.error();
    reportCrashes();
    const std::string blamed = "plug-in " + file.string() + ", as it was loaded,";
    const BlameScope blame(blamed);
    constexpr int kThisThread = 1;
    const FloatingPointState state(kThisThread);  // GCC's -ffast-math changes it as a library is loaded
    try {
        // All of its symbols at once: what is missing is said now, not in the middle of a render.
        void* library = dlopen(source->library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return invalid(file.string() + ": can't be loaded: " + dlerror());
        auto found = backendsOf(library, *source);
        if (!found) return found.error().in(file.string());
        auto loaded = std::make_shared<PluginLibrary>();
        loaded->m_backends = *std::move(found);
        return std::shared_ptr<const PluginLibrary>(std::move(loaded));
    } catch (const std::exception& failure) {
        return invalid(file.string() + ": it threw an exception as it was loaded: " + failure.what());
    } catch (...) {
        return invalid(file.string() + ": it threw an exception as it was loaded");
    }
}

const reelgrid_backend* PluginLibrary::find(const std::string& name) const {
    for (const reelgrid_backend* backend : m_backends)
        if (backend->name != nullptr && name == backend->name) return backend;
    return nullptr;
}

Result<kernels::PluginDescription> describe(const reelgrid_backend& backend) {
    constexpr std::size_t kMostBytes = 5000;  // more than any of them may have: then it is refused
    if (backend.run == nullptr) return invalid("run: a function was needed");
    if (!std::isfinite(backend.claimed_l1))  // which JSON has no words for
        return invalid("claimed_l1: it isn't finite, a number from 0 was needed");
    if (auto known = requireKnownBits(backend); !known) return known.error();
    kernels::PluginDescription said;
    said.name = textOf(backend.name, kMostBytes);
    said.title = textOf(backend.title, kMostBytes);
    said.description = textOf(backend.description, kMostBytes);
    said.version = textOf(backend.version, kMostBytes);
    said.author = textOf(backend.author, kMostBytes);
    for (const auto& [bit, device] :
         {std::pair{REELGRID_CPU, kernels::Device::Cpu}, std::pair{REELGRID_CUDA, kernels::Device::Cuda}})
        if ((backend.devices & REELGRID_BIT(bit)) != 0) said.devices.push_back(device);
    for (const auto& [bit, type] : {std::pair{REELGRID_FP32, kernels::DataType::Float32},
                                    std::pair{REELGRID_BF16, kernels::DataType::BFloat16},
                                    std::pair{REELGRID_FP16, kernels::DataType::Float16}})
        if ((backend.dtypes & REELGRID_BIT(bit)) != 0) said.types.push_back(type);
    said.causal = (backend.features & REELGRID_CAUSAL) != 0;
    said.keyBias = (backend.features & REELGRID_KEY_BIAS) != 0;
    said.sharedKeyHeads = (backend.features & REELGRID_SHARED_KEYS) != 0;
    said.logSumExp = (backend.features & REELGRID_LOG_SUM_EXP) != 0;
    said.maxHeadDim = backend.max_head_dim;
    said.headDimMultiple = backend.head_dim_multiple;
    said.claimedL1 = backend.claimed_l1;
    if (backend.abi > 1 && backend.options != nullptr)
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(backend.option_count, kMostOptions + 1); ++i)
            said.options.push_back({textOf(backend.options[i].key, kMostBytes),
                                    textOf(backend.options[i].title, kMostBytes),
                                    textOf(backend.options[i].value, kMostBytes)});
    // One set of rules for what a backend may say, wherever it was said.
    return descriptionFromJson(nlohmann::json::parse(printJson(toJson(said))));
}

}  // namespace reelgrid::plugins
