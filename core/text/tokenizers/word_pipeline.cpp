#include "core/text/tokenizers/word_pipeline.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"
#include "core/text/tokenizers/code_points.h"
#include "core/text/tokenizers/json_member.h"
#include "core/text/tokenizers/precompiled_charsmap.h"
#include "core/text/tokenizers/step_text.h"

namespace reelgrid::text {
namespace {

using nlohmann::json;

constexpr int kMaxSequenceDepth = 8;
/// Published tokenizers have up to five.
constexpr std::size_t kMaxSteps = 64;
constexpr std::size_t kMaxMarkBytes = 16;
constexpr std::string_view kLowerOneEighthBlock = "\u2581";

std::string stripped(const std::string& text, bool left, bool right) {
    const std::u32string points = decodeUtf8(text);
    std::u32string_view kept = points;
    while (left && !kept.empty() && isWhitespace(kept.front())) kept.remove_prefix(1);
    while (right && !kept.empty() && isWhitespace(kept.back())) kept.remove_suffix(1);
    return encodeUtf8(kept);
}

std::string replaced(std::string_view text, const std::string& from, const std::string& to) {
    std::string result;
    for (;;) {
        const std::size_t at = text.find(from);
        appendBounded(result, text.substr(0, at));
        if (at == text.npos) return result;
        appendBounded(result, to);
        text.remove_prefix(at + from.size());
    }
}

/// Every run of two spaces or more.
std::string withoutSpaceRuns(const std::string& text, const std::string& to) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of(' ', at), text.size());
        if (end - at >= 2) {
            appendBounded(result, to);
            at = end;
        } else {
            appendBounded(result, std::string_view(text).substr(at++, 1));
        }
    }
    return result;
}

std::vector<std::string> splitAtWhitespace(const std::string& text) {
    std::vector<std::string> words;
    std::u32string word;
    for (const char32_t point : decodeUtf8(text + ' ')) {
        if (!isWhitespace(point)) {
            word += point;
        } else if (!word.empty()) {
            words.push_back(encodeUtf8(word));
            word.clear();
        }
    }
    return words;
}

struct Metaspace {
    std::string mark{kLowerOneEighthBlock};
    bool prepends = true;
    bool splits = true;

    [[nodiscard]] std::vector<std::string> operator()(const std::string& text) const {
        if (text.empty()) return {};
        std::string marked = replaced(text, " ", mark);
        if (prepends && !marked.starts_with(mark)) marked.insert(0, mark);
        if (!splits) return {marked};
        std::vector<std::string> words;
        for (std::size_t start = 0; start < marked.size();) {
            const std::size_t end = std::min(marked.find(mark, start + 1), marked.size());
            words.push_back(marked.substr(start, end - start));
            start = end;
        }
        return words;
    }
};

}  // namespace

/// Turns a file's steps into functions.
struct WordPipelineReader {
    WordPipeline pipeline;
    std::string origin;

    void normalizer(const json& step, int depth = 0) {
        if (step.is_null()) return;
        const std::string type = typeOf(step, "normalizer", depth);
        auto& steps = pipeline.m_normalizers;
        if (type == "Sequence") {
            for (const json& each : listOf(step, "normalizers")) normalizer(each, depth + 1);
        } else if (type == "Precompiled") {
            charsmap(std::make_shared<PrecompiledCharsmap>(
                PrecompiledCharsmap::ofBase64(textOf(step, "precompiled_charsmap"), origin)));
        } else if (type == "Lowercase") {
            steps.emplace_back(lowercase);
        } else if (type == "Strip") {
            const bool left = flagOf(step, "strip_left", true);
            const bool right = flagOf(step, "strip_right", true);
            steps.emplace_back([=](const std::string& text) { return stripped(text, left, right); });
        } else if (type == "Replace") {
            replacement(step);
        } else {
            unsupported("normalizer", step, "Precompiled, Replace, Strip, Lowercase or a Sequence of them");
        }
    }

    void charsmap(const std::shared_ptr<const PrecompiledCharsmap>& map) {
        pipeline.m_normalizers.emplace_back([map](const std::string& text) { return map->apply(text); });
    }

    void preTokenizer(const json& step, int depth = 0) {
        if (step.is_null()) return;
        const std::string type = typeOf(step, "pre_tokenizer", depth);
        auto& steps = pipeline.m_splitters;
        if (type == "Sequence") {
            for (const json& each : listOf(step, "pretokenizers")) preTokenizer(each, depth + 1);
        } else if (type == "WhitespaceSplit") {
            steps.emplace_back(splitAtWhitespace);
        } else if (type == "Metaspace") {
            steps.emplace_back(metaspace(step));
        } else {
            unsupported("pre_tokenizer", step, "WhitespaceSplit, Metaspace or a Sequence of them");
        }
    }

  private:
    void replacement(const json& step) {
        const std::string to = textOf(step, "content");
        const auto pattern = step.find("pattern");
        const bool known = pattern != step.end() && pattern->is_object();
        auto& steps = pipeline.m_normalizers;
        if (known && pattern->contains("String") && !textOf(*pattern, "String").empty()) {
            const std::string from = textOf(*pattern, "String");
            steps.emplace_back([=](const std::string& text) { return replaced(text, from, to); });
        } else if (known && pattern->contains("Regex") && textOf(*pattern, "Regex") == " {2,}") {
            steps.emplace_back([=](const std::string& text) { return withoutSpaceRuns(text, to); });
        } else {
            unsupported("normalizer", step, "the pattern of a Replace as a String or the Regex \" {2,}\"");
        }
    }

    Metaspace metaspace(const json& step) {
        Metaspace marks;
        if (step.contains("replacement")) marks.mark = textOf(step, "replacement");
        if (marks.mark.empty() || marks.mark.size() > kMaxMarkBytes)
            unsupported("pre_tokenizer", step, "a replacement of one character");
        marks.splits = flagOf(step, "split", true);
        marks.prepends = flagOf(step, "add_prefix_space", true);
        if (step.contains("prepend_scheme")) {
            const std::string scheme = textOf(step, "prepend_scheme");
            if (scheme != "always" && scheme != "never")
                unsupported("pre_tokenizer", step, "the prepend_scheme \"always\" or \"never\"");
            marks.prepends = scheme == "always";
        }
        return marks;
    }

    [[noreturn]] void unsupported(const std::string& key, const json& value,
                                  const std::string& needed) const {
        throw Failure(ErrorCode::Unsupported,
                      origin + ": " + key + " has " + showJson(value) + ", this version needs " + needed);
    }
    [[noreturn]] void invalid(const std::string& key, const json& step, const std::string& needed) const {
        throw Failure(ErrorCode::InvalidData,
                      origin + ": " + key + " of " + showJson(step) + ": " + needed + " was needed");
    }
    std::string typeOf(const json& step, const std::string& key, int depth) const {
        if (pipeline.m_normalizers.size() + pipeline.m_splitters.size() >= kMaxSteps)
            unsupported(key, step, "at most " + std::to_string(kMaxSteps) + " steps");
        if (depth > kMaxSequenceDepth) unsupported(key, step, "sequences less deep in each other");
        if (!step.is_object()) invalid(key, step, "an object");
        return textOf(step, "type");
    }
    std::string textOf(const json& step, const char* key) const {
        const auto found = step.find(key);
        if (found == step.end() || !found->is_string()) invalid(key, step, "a text");
        return found->get<std::string>();
    }
    bool flagOf(const json& step, const char* key, bool fallback) const {
        const auto found = step.find(key);
        if (found == step.end()) return fallback;
        if (!found->is_boolean()) invalid(key, step, "true or false");
        return found->get<bool>();
    }
    const json& listOf(const json& step, const char* key) const {
        const auto found = step.find(key);
        if (found == step.end() || !found->is_array()) invalid(key, step, "a list");
        return *found;
    }
};

namespace {

/// The first character map, alone or in a sequence.
const json* charsmapOf(const json& normalizer) {
    const auto isMap = [](const json& step) {
        return step.is_object() && step.value("type", json()) == "Precompiled";
    };
    if (isMap(normalizer)) return &normalizer;
    if (const auto steps = normalizer.find("normalizers");
        normalizer.is_object() && steps != normalizer.end())
        for (const json& step : *steps)
            if (isMap(step)) return &step;
    return nullptr;
}

}  // namespace

WordPipeline WordPipeline::from(const json& tokenizer, const std::string& origin) {
    WordPipelineReader reader{WordPipeline(origin), origin};
    reader.normalizer(memberOf(tokenizer, "normalizer"));
    reader.preTokenizer(memberOf(tokenizer, "pre_tokenizer"));
    return reader.pipeline;
}

WordPipeline WordPipeline::ofT5(const json& tokenizer, const std::string& origin) {
    WordPipelineReader reader{WordPipeline(origin), origin};
    if (const json* map = charsmapOf(memberOf(tokenizer, "normalizer"))) reader.normalizer(*map);
    reader.preTokenizer({{"type", "WhitespaceSplit"}});
    reader.preTokenizer({{"type", "Metaspace"}});
    return reader.pipeline;
}

WordPipeline WordPipeline::ofT5(const std::string& charsmap, const std::string& origin) {
    WordPipelineReader reader{WordPipeline(origin), origin};
    if (!charsmap.empty()) reader.charsmap(std::make_shared<PrecompiledCharsmap>(charsmap, origin));
    reader.preTokenizer({{"type", "WhitespaceSplit"}});
    reader.preTokenizer({{"type", "Metaspace"}});
    return reader.pipeline;
}

std::vector<std::string> WordPipeline::words(std::string_view text) const {
    try {
        return wordsOf(text);
    } catch (const Failure& failure) {
        throw Failure(failure.error().in(m_origin));
    }
}

std::vector<std::string> WordPipeline::wordsOf(std::string_view text) const {
    std::string normalized(text);
    for (const Normalizer& normalize : m_normalizers) normalized = normalize(normalized);
    std::vector<std::string> words{normalized};
    for (const Splitter& split : m_splitters) {
        std::vector<std::string> next;
        std::size_t bytes = 0;
        for (const std::string& word : words)
            for (std::string& part : split(word)) {
                requireBounded(bytes, part.size());
                bytes += part.size();
                next.push_back(std::move(part));
            }
        words = std::move(next);
    }
    return words;
}

}  // namespace reelgrid::text
