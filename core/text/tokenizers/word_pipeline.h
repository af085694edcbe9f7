#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelgrid::text {

/// The normalizer and the pre-tokenizer of a tokenizer.json: how a stretch of text becomes the words that the
/// vocabulary's model sees. Those that tokenizers of T5's kind have: Precompiled, Replace, Strip, Lowercase;
/// WhitespaceSplit, Metaspace; sequences of them.
class WordPipeline {
  public:
    /// The file's own. Throws Failure(Unsupported) naming `origin` and a step that isn't here, or
    /// InvalidData.
    static WordPipeline from(const nlohmann::json& tokenizer, const std::string& origin);
    /// What transformers 5 gives its class T5Tokenizer whatever the file says: the file's character map, then
    /// words at whitespace.
    static WordPipeline ofT5(const nlohmann::json& tokenizer, const std::string& origin);
    /// The same with the character map of a spiece.model, in bytes; none where that is empty.
    static WordPipeline ofT5(const std::string& charsmap, const std::string& origin);

    /// Throws Failure(InvalidData) naming the origin where the steps let the text grow past kMaxStepBytes.
    [[nodiscard]] std::vector<std::string> words(std::string_view text) const;

  private:
    explicit WordPipeline(std::string origin) : m_origin(std::move(origin)) {}
    [[nodiscard]] std::vector<std::string> wordsOf(std::string_view text) const;

    using Normalizer = std::function<std::string(const std::string&)>;
    using Splitter = std::function<std::vector<std::string>(const std::string&)>;
    friend struct WordPipelineReader;

    std::string m_origin;
    std::vector<Normalizer> m_normalizers;
    std::vector<Splitter> m_splitters;
};

}  // namespace reelgrid::text
