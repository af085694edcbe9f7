#include <algorithm>
#include <string>

#include "core/base/result.h"
#include "core/text/cleaning/prompt_cleaning.h"
#include "core/text/tokenizers/clip_tokenizer.h"
#include "core/text/tokenizers/precompiled_charsmap.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/targets/targets.h"

namespace reelgrid::fuzz {
namespace {

constexpr const char* kPrompts[] = {"A red fox runs through snow, 4k",
                                    "  \u00e9te\u0301 \ud55c\uae00 \u3000 <extra_id_3></s> \U0001f98a\u200d",
                                    ""};

template <class Tokenizer>
void tokenize(const Tokenizer& tokenizer) {
    for (const char* prompt : kPrompts)
        for (const std::int64_t id : tokenizer.encode(prompt, 32).ids)
            promise(id >= 0 && id < tokenizer.idBound(), "an id beyond the vocabulary's bound");
}

}  // namespace

void readTokenizerJson(std::string_view bytes) {
    scratchFile("t5/tokenizer.json", bytes);
    tokenize(text::SentencePieceTokenizer(scratchFolder() / "t5"));
}

void readClipTokenizer(std::string_view bytes) {
    scratchFile("clip/tokenizer.json", bytes);
    tokenize(text::ClipTokenizer(scratchFolder() / "clip"));
}

void readClipVocabulary(std::string_view bytes) {
    // vocab.json, a NUL, merges.txt.
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    scratchFile("slow/vocab.json", bytes.substr(0, end));
    scratchFile("slow/merges.txt", bytes.substr(std::min(end + 1, bytes.size())));
    tokenize(text::ClipTokenizer(scratchFolder() / "slow"));
}

void readSpiece(std::string_view bytes) {
    tokenize(text::SentencePieceTokenizer::ofModel(std::string(bytes), "spiece.model"));
}

void readCharsmap(std::string_view bytes) {
    const text::PrecompiledCharsmap charsmap(bytes, "spiece.model");
    for (const char* prompt : kPrompts) static_cast<void>(charsmap.apply(prompt));
}

void readPrompt(std::string_view bytes) {
    const std::string once = text::cleanPrompt(std::string(bytes));
    promise(once.size() <= 8 * bytes.size() + 64, "a cleaned prompt has grown more than eightfold");
}

}  // namespace reelgrid::fuzz
