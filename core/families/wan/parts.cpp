#include "core/families/wan/parts.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/folder.h"
#include "core/base/link_check.h"
#include "core/safetensors/header.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;

bool isPresent(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

std::string lowercase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

bool hasAny(const std::string& text, std::initializer_list<const char*> words) {
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

std::vector<fs::path> rootsOf(const fs::path& file) {
    std::vector<fs::path> roots;
    const auto add = [&](const fs::path& folder) {
        if (!folder.empty() && std::ranges::find(roots, folder) == roots.end()) roots.push_back(folder);
    };
    const fs::path own = fs::absolute(file).lexically_normal().parent_path();
    add(own);
    add(own.parent_path());
    add(own.parent_path().parent_path());
    if (const char* further = std::getenv("REELGRID_MODEL_PARTS")) {
        std::istringstream list(further);
        for (std::string folder; std::getline(list, folder, ':');)
            if (!folder.empty()) add(fs::absolute(folder).lexically_normal());
    }
    if (const char* home = std::getenv("HOME")) add(fs::path(home) / ".cache/wan");
    return roots;
}

/// A part as the roots may have it.
struct Part {
    const char* what;                                   ///< for messages
    const char* examples;                               ///< likewise
    std::vector<const char*> folders;                   ///< below a root, and the root itself
    std::function<bool(const std::string&)> isItsName;  ///< of a file's name in lower case
    const char* diffusersFolder;                        ///< below a root, with a config.json
};

/// Files of full precision before those in FP8, then by name.
bool comesBefore(const fs::path& a, const fs::path& b) {
    const auto rank = [](const fs::path& path) {
        const std::string name = lowercase(path.filename().string());
        return std::pair(hasAny(name, {"fp8", "e4m3", "e5m2"}), name);
    };
    return rank(a) < rank(b);
}

/// The one that counts, empty where there is none; in `fault` what is wrong with a link that has its name.
fs::path fileIn(const fs::path& folder, const Part& part, std::optional<Error>& fault) {
    std::vector<fs::path> found;
    const auto entries = entriesOf(folder);
    if (!entries) return {};
    for (const auto& entry : *entries) {
        std::error_code failed;
        const std::string name = lowercase(entry.path().filename().string());
        const bool isWeights = name.ends_with(".safetensors") || name.ends_with(".pth");
        if (!isWeights || !part.isItsName(name)) continue;
        if (entry.is_regular_file(failed))
            found.push_back(entry.path());
        else if (!fault)
            fault = faultOfLink(entry.path());
    }
    const auto first = std::ranges::min_element(found, comesBefore);
    return first == found.end() ? fs::path() : *first;
}

Result<fs::path> find(const Part& part, const std::vector<fs::path>& roots, const fs::path& transformer) {
    std::string places;
    std::optional<Error> fault;
    for (const fs::path& root : roots) {
        std::vector<fs::path> folders;
        for (const char* name : part.folders) folders.push_back(root / name);
        folders.push_back(root);
        for (const fs::path& folder : folders)
            if (fs::path file = fileIn(folder, part, fault); !file.empty()) return file;
        if (isPresent(root / part.diffusersFolder / "config.json")) return root / part.diffusersFolder;
        places += (places.empty() ? "" : ", ") + nameOfLookedAt(root);
    }
    if (fault)
        return Error{fault->code,
                     "model " + transformer.string() + ": its " + part.what + " " + fault->message};
    return Error{ErrorCode::NotFound, "model " + transformer.string() + ": no " + part.what + " (" +
                                          part.examples + ") was found in " + places +
                                          "; REELGRID_MODEL_PARTS names further folders"};
}

Part vaeOf(WanKind kind) {
    if (kind == WanKind::TokenTimes22)
        return {"VAE of Wan 2.2",
                "vae/wan2.2_vae.safetensors, Wan2.2_VAE.pth or vae/",
                {"vae"},
                [](const std::string& name) {
                    return hasAny(name, {"vae"}) && hasAny(name, {"wan2.2", "wan2_2", "wan_2.2", "wan22"});
                },
                "vae"};
    return {"VAE of Wan 2.1",
            "vae/wan_2.1_vae.safetensors, Wan2.1_VAE.pth or vae/",
            {"vae"},
            [](const std::string& name) {
                return hasAny(name, {"vae"}) && hasAny(name, {"wan2.1", "wan2_1", "wan_2.1", "wan21"});
            },
            "vae"};
}

Part textEncoder() {
    return {"umT5 encoder",
            "text_encoders/umt5_xxl_fp16.safetensors, models_t5_umt5-xxl-enc-bf16.pth or text_encoder/",
            {"text_encoders", "clip"},
            [](const std::string& name) { return hasAny(name, {"umt5"}); },
            "text_encoder"};
}

Part imageEncoder() {
    return {"CLIP image encoder",
            "clip_vision/clip_vision_h.safetensors, models_clip_*.pth or image_encoder/",
            {"clip_vision"},
            [](const std::string& name) {
                return hasAny(name, {"clip_vision_h", "open-clip-xlm-roberta"});
            },
            "image_encoder"};
}

/// ComfyUI's files have SentencePiece's model as a tensor of bytes.
bool hasTokenizerInside(const fs::path& textEncoder) {
    if (textEncoder.extension() != ".safetensors") return false;
    const auto tensors = safetensors::readHeaderOf(textEncoder);
    return tensors && tensors->contains("spiece_model");
}

Result<fs::path> findTokenizer(const std::vector<fs::path>& roots, const fs::path& transformer) {
    for (const fs::path& root : roots)
        for (const char* name : {"google/umt5-xxl", "umt5-xxl", "tokenizer"})
            for (const char* file : {"spiece.model", "tokenizer.json"})
                if (isPresent(root / name / file)) return root / name;
    return Error{
        ErrorCode::NotFound,
        "model " + transformer.string() +
            ": no tokenizer was found: google/umt5-xxl/, umt5-xxl/ or tokenizer/ (with spiece.model or "
            "tokenizer.json), or a umT5 file of ComfyUI's, which has it inside, was needed"};
}

}  // namespace

Result<WanParts> findWanParts(const ModelSource& source, WanKind kind) {
    const fs::path& transformer = source.base;
    const std::vector<fs::path> roots = rootsOf(transformer);
    const auto named = [&](const char* component, const Part& part) -> Result<fs::path> {
        const fs::path path = source.partOf(component);
        return path.empty() ? find(part, roots, transformer) : path;
    };
    WanParts parts;
    auto vae = named("vae", vaeOf(kind));
    if (!vae) return vae.error();
    parts.vae = *std::move(vae);
    auto text = named("text_encoder", textEncoder());
    if (!text) return text.error();
    parts.textEncoder = *std::move(text);
    if (kind == WanKind::Image21 || kind == WanKind::TwoPictures21) {
        auto image = named("image_encoder", imageEncoder());
        if (!image) return image.error();
        parts.imageEncoder = *std::move(image);
    }
    if (hasTokenizerInside(parts.textEncoder)) return parts;
    parts.tokenizer = source.partOf("tokenizer");
    if (!parts.tokenizer.empty()) return parts;
    auto tokenizer = findTokenizer(roots, transformer);
    if (!tokenizer) return tokenizer.error();
    parts.tokenizer = *std::move(tokenizer);
    return parts;
}

}  // namespace reelgrid::families::wan
