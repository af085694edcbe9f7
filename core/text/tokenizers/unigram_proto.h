#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reelgrid::text {

/// The `model` of a tokenizer.json, a unigram vocabulary with its scores, as the serialized SentencePiece
/// model that gives the same pieces for words which are normalized already. Byte pieces (<0x41>) are pieces
/// like any other: spelling unknown characters with them is left to the caller. Throws Failure(Unsupported or
/// InvalidData) naming `origin`, the value and what was needed. Source: sentencepiece_model.proto.
std::string unigramProto(const nlohmann::json& model, const std::string& origin);

}  // namespace reelgrid::text
