#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reelgrid::text {

/// The longest piece that is taken: published vocabularies have up to some 50 bytes. The library that loads
/// them builds its trie recursively, a call for each letter.
inline constexpr std::size_t kMaxPieceBytes = 1024;

/// What a serialized SentencePiece model normalizes texts with, and the model that takes words which are
/// normalized and split already.
struct SentencePieceParts {
    std::string charsmap;  ///< precompiled; empty: none
    std::string wordModel;
};

/// Throws Failure(InvalidData) naming `origin` when it isn't such a model.
SentencePieceParts partsOf(std::string_view proto, const std::string& origin);

/// Looks through a serialized SentencePiece model before the library does. Throws Failure(InvalidData) naming
/// `origin` and the first piece that is longer, has a score that isn't finite, or a character of code 0, at
/// which the library's trie ends a piece (an empty one ends the program), or a user-defined piece that begins
/// with more others than the library has room for, or saying that it isn't such a model. Source:
/// sentencepiece_model.proto.
void requirePlainPieces(std::string_view proto, const std::string& origin);

/// The same for the character maps of the model's normalizer and denormalizer.
void requireSoundCharsmaps(std::string_view proto, const std::string& origin);

/// Throws Failure(Unsupported) naming `origin` and the type unless it is a unigram model: transformers takes
/// T5's pieces and scores as one's whatever type the file says.
void requireUnigram(std::string_view proto, const std::string& origin);

}  // namespace reelgrid::text
