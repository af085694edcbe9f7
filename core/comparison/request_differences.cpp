#include "core/comparison/request_differences.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/comparison/render_differences.h"

namespace reelgrid::comparison {
namespace {

using protocol::RenderField;
using result::Manifest;

constexpr std::array kKernel{"attention_type", "attention_policy", "backend_option", "sla_topk"};

constexpr std::array kContent{"prompt",
                              "prompt_2",
                              "prompt_3",
                              "negative_prompt",
                              "negative_prompt_2",
                              "negative_prompt_3",
                              "seed",
                              "img_file_path",
                              "last_img_file_path",
                              "picture_fit",
                              "generator",
                              "task"};

/// What a person calls fields, in the order in which they are told; others keep their keys.
constexpr std::array<std::pair<const char*, const char*>, 12> kWords{{{"model", "model"},
                                                                      {"prompt", "prompt"},
                                                                      {"img_file_path", "picture"},
                                                                      {"last_img_file_path", "picture"},
                                                                      {"negative_prompt", "negative prompt"},
                                                                      {"seed", "seed"},
                                                                      {"width", "size"},
                                                                      {"height", "size"},
                                                                      {"num_frames", "frames"},
                                                                      {"num_inference_steps", "steps"},
                                                                      {"guidance_scale", "guidance"},
                                                                      {"step_cache", "step cache"}}};

std::set<std::string> fieldsBeside(Beside beside) {
    // Whether frames are kept changes nothing of a clip.
    std::set<std::string> fields{"keep_frames"};
    fields.insert(kKernel.begin(), kKernel.end());
    if (beside == Beside::Picture || beside == Beside::Content)
        fields.insert(kContent.begin(), kContent.end());
    if (beside == Beside::Shortcuts || beside == Beside::Content)
        protocol::forEachRenderField([&](const RenderField& field, auto) {
            if (field.decides == protocol::Decides::Attention) fields.insert(field.key);
        });
    return fields;
}

/// "model.hashes.vae" is the model's, "pictures.img_file_path" the picture's.
std::string keyOf(const std::string& field) {
    constexpr std::string_view kPictureHash = "pictures.";
    if (field.starts_with("model.")) return "model";
    return field.starts_with(kPictureHash) ? field.substr(kPictureHash.size()) : field;
}

std::string wordOf(std::string key) {
    for (const auto& [field, word] : kWords)
        if (key == field) return word;
    std::ranges::replace(key, '_', ' ');
    return key;
}

std::vector<std::string> differencesOf(const Manifest& one, const Manifest& other, Beside beside) {
    if (one.settings.has_value() != other.settings.has_value()) return {"what is known of them"};
    return requestDifferences({&one, &other}, beside);
}

}  // namespace

std::vector<std::string> requestDifferences(const std::vector<const Manifest*>& manifests, Beside beside) {
    const std::set<std::string> varied = fieldsBeside(beside);
    const Manifest* first = nullptr;
    std::set<std::string> keys;
    for (const Manifest* manifest : manifests) {
        if (!manifest->settings) continue;
        if (first == nullptr) first = manifest;
        for (const FieldDifference& each : differencesBetween(*first, *manifest, varied).picture)
            if (const std::string key = keyOf(each.field); !varied.contains(key)) keys.insert(key);
    }
    std::vector<std::string> words;
    const auto add = [&](const std::string& key) {
        const std::string word = wordOf(key);
        if (keys.erase(key) > 0 && std::ranges::find(words, word) == words.end()) words.push_back(word);
    };
    for (const auto& [field, word] : kWords) add(field);
    for (const std::string& key : std::set(keys)) add(key);
    return words;
}

std::vector<std::string> workDifferences(const Manifest& one, const Manifest& other) {
    return differencesOf(one, other, Beside::Content);
}

std::vector<std::string> contentDifferences(const Manifest& one, const Manifest& other) {
    return differencesOf(one, other, Beside::Shortcuts);
}

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

}  // namespace reelgrid::comparison
