#include "core/media/text_tags.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "core/base/file_check.h"
#include "core/base/pending_file.h"
#include "core/media/av_error.h"
#include "core/media/input_file.h"
#include "core/media/png_picture.h"

extern "C" {
#include <libavutil/dict.h>
}

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;

std::string inLowerCase(std::string_view name) {
    std::string lower(name);
    for (char& letter : lower) letter = char(std::tolower(static_cast<unsigned char>(letter)));
    return lower;
}

std::vector<TextTag> tagsOf(const AVDictionary* dictionary) {
    constexpr std::size_t kMaxNameBytes = 256;
    std::vector<TextTag> tags;
    const AVDictionaryEntry* entry = nullptr;
    while (tags.size() < kMaxTags &&
           (entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        const std::string_view name(entry->key);
        const std::string_view text(entry->value);
        if (name.size() <= kMaxNameBytes && text.size() <= kMaxTagBytes)
            tags.push_back({inLowerCase(name), std::string(text)});
    }
    return tags;
}

bool isPng(const fs::path& path) {
    std::array<char, kPngSignature.size()> start{};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    return std::string_view(start.data(), start.size()) == kPngSignature;
}

Result<std::vector<TextTag>> tagsOfPng(const fs::path& path) {
    auto bytes = readFile(path, kMostPictureBytes);
    if (!bytes) return bytes.error();
    auto frame = decodePng(*bytes);
    if (!frame) return frame.error().in(path.string());
    return tagsOf((*frame)->metadata);
}

}  // namespace

Result<std::vector<TextTag>> readTextTags(const fs::path& path) {
    silenceAvLog();
    // A clip may be of any size: only its header is read.
    if (auto readable = requireFile(path, UINT64_MAX); !readable) return readable.error();
    if (isPng(path)) return tagsOfPng(path);
    auto input = openInput(path);
    if (!input) return input.error().in(path.string());
    return tagsOf((*input)->metadata);
}

}  // namespace reelgrid::media
