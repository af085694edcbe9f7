#include "core/text/tokenizers/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::text {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;
constexpr std::int64_t kMaxExtraIds = 4096;

std::string readModel(const fs::path& folder) {
    std::error_code failed;
    const fs::path path = folder / "spiece.model";
    if (!fs::exists(path, failed) && fs::exists(folder / "tokenizer.json", failed))
        throw Failure(ErrorCode::Unsupported,
                      folder.string() + ": has tokenizer.json only, spiece.model beside it was needed");
    return readFile(path, kMaxModelBytes).value();
}

}  // namespace

std::vector<std::int64_t> TokenIds::attentionMask() const {
    std::vector<std::int64_t> mask(ids.size(), 0);
    std::fill_n(mask.begin(), count, 1);
    return mask;
}

SentencePieceTokenizer::SentencePieceTokenizer(const fs::path& folder)
    : m_model(std::make_unique<sentencepiece::SentencePieceProcessor>()), m_added(readAddedTokens(folder)) {
    const auto status = m_model->LoadFromSerializedProto(readModel(folder));
    if (!status.ok())
        throw Failure(ErrorCode::InvalidData,
                      (folder / "spiece.model").string() + ": not a SentencePiece model");
    if (m_added.empty()) addT5Tokens(folder);
    m_end = idOf("</s>", folder);
    m_pad = idOf("<pad>", folder);
    m_idBound = m_model->GetPieceSize();
    for (const AddedToken& token : m_added) m_idBound = std::max(m_idBound, token.id + 1);
}

SentencePieceTokenizer::SentencePieceTokenizer(SentencePieceTokenizer&&) noexcept = default;
SentencePieceTokenizer& SentencePieceTokenizer::operator=(SentencePieceTokenizer&&) noexcept = default;
SentencePieceTokenizer::~SentencePieceTokenizer() = default;

/// What T5's tokenizer adds by itself: its special pieces, and sentinels behind the vocabulary, last one
/// first.
void SentencePieceTokenizer::addT5Tokens(const fs::path& folder) {
    for (const char* piece : {"<pad>", "</s>", "<unk>"}) {
        const int id = m_model->PieceToId(piece);
        if (m_model->IdToPiece(id) == piece) m_added.push_back({piece, id});
    }
    std::error_code failed;
    std::int64_t extraIds = 100;
    if (fs::exists(folder / "tokenizer_config.json", failed)) {
        const auto config = weights::ModelConfig::read(folder, "tokenizer_config.json");
        extraIds = config.positiveOr("extra_ids", extraIds, kMaxExtraIds);
    }
    const std::int64_t pieces = m_model->GetPieceSize();
    for (std::int64_t i = 0; i < extraIds; ++i)
        m_added.push_back({"<extra_id_" + std::to_string(i) + ">", pieces + extraIds - 1 - i});
}

std::int64_t SentencePieceTokenizer::idOf(const std::string& token, const fs::path& folder) const {
    for (const AddedToken& added : m_added)
        if (added.content == token) return added.id;
    const int id = m_model->PieceToId(token);
    if (m_model->IdToPiece(id) != token)
        throw Failure(ErrorCode::InvalidData,
                      (folder / "spiece.model").string() + ": it has no token " + token);
    return id;
}

void SentencePieceTokenizer::appendPieces(std::string_view text, std::vector<std::int64_t>& ids) const {
    std::vector<int> pieces;
    if (!m_model->Encode(text, &pieces).ok())
        throw Failure(ErrorCode::Internal,
                      "SentencePiece failed on a text of " + std::to_string(text.size()) + " bytes");
    // Byte fallback spells one run of unknown characters as a run of byte pieces; transformers' tokenizer
    // doesn't have it and makes each such run one <unk>.
    bool inBytes = false;
    for (const int piece : pieces) {
        const bool isByte = m_model->IsByte(piece);
        if (!isByte)
            ids.push_back(piece);
        else if (!inBytes)
            ids.push_back(m_model->unk_id());
        inBytes = isByte;
    }
}

std::vector<std::int64_t> SentencePieceTokenizer::tokenize(const std::string& text) const {
    std::vector<std::int64_t> ids;
    for (const TextPiece& piece : splitAtTokens(text, m_added)) {
        if (piece.token != nullptr)
            ids.push_back(piece.token->id);
        else
            appendPieces(piece.text, ids);
    }
    return ids;
}

TokenIds SentencePieceTokenizer::encode(const std::string& text, std::size_t length) const {
    if (length == 0) throw Failure(ErrorCode::Internal, "a prompt of 0 tokens has no room for its end");
    TokenIds result;
    result.ids = tokenize(text);
    result.ids.resize(std::min(result.ids.size(), length - 1));
    result.ids.push_back(m_end);
    result.count = result.ids.size();
    result.ids.resize(length, m_pad);
    return result;
}

}  // namespace reelgrid::text
