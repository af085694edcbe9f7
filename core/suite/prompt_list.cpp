#include "core/suite/prompt_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/utf8.h"

namespace reelgrid::suite {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

Result<std::vector<std::string>> promptsOf(const json& list, const std::string& file) {
    std::vector<std::string> prompts;
    for (const json& entry : list) {
        const json* text = entry.is_object() && entry.contains("prompt_en") ? &entry.at("prompt_en") : &entry;
        if (!text->is_string())
            return Error{ErrorCode::InvalidData, file + ": " + showJson(entry) +
                                                     ": a text, or an object with \"prompt_en\", was needed"};
        prompts.push_back(text->get<std::string>());
    }
    return prompts;
}

/// Lines end with LF, CR LF or CR.
std::vector<std::string> linesOf(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
        if (line.find_first_not_of(" \t") != std::string_view::npos) lines.emplace_back(line);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return lines;
}

}  // namespace

Result<std::vector<std::string>> readPrompts(const std::filesystem::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error();
    if (!isUtf8(*text)) return Error{ErrorCode::InvalidData, file.string() + ": text in UTF-8 was needed"};
    std::vector<std::string> prompts;
    if (file.extension() == ".json") {
        auto list = parseJson(*text, file.string());
        if (!list) return list.error();
        if (!list->is_array())
            return Error{ErrorCode::InvalidData, file.string() + ": a list of prompts was needed"};
        auto read = promptsOf(*list, file.string());
        if (!read) return read.error();
        prompts = *std::move(read);
    } else {
        prompts = linesOf(*text);
    }
    if (prompts.empty() || prompts.size() > kMostPrompts)
        return Error{ErrorCode::InvalidData, file.string() + ": " + std::to_string(prompts.size()) +
                                                 " prompts, 1 to " + std::to_string(kMostPrompts) +
                                                 " were needed"};
    return prompts;
}

}  // namespace reelgrid::suite
