#include "core/suite/prompt_list.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/json.h"
#include "core/base/pending_file.h"

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

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.find_first_not_of(" \t") != std::string::npos) lines.push_back(line);
    }
    return lines;
}

}  // namespace

Result<std::vector<std::string>> readPrompts(const std::filesystem::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error();
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
