#include "core/session/vote_hashes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/hex.h"
#include "core/base/json.h"

namespace reelgrid::session {
namespace {

constexpr std::array kHashes{std::pair("first_sha256", &BlindVote::firstSha256),
                             std::pair("second_sha256", &BlindVote::secondSha256)};

}  // namespace

void readHashes(protocol::FieldReader& fields, BlindVote& vote) {
    for (const auto& [key, hash] : kHashes) {
        std::optional<std::string> read;
        fields.text(key, read);
        if (!read) continue;
        if (!isHex(*read, kSha256Digits))
            fields.fail(key + (" " + showJson(*read)) + ": 64 hex digits in lower case were needed");
        vote.*hash = *std::move(read);
    }
}

void writeHashes(const BlindVote& vote, nlohmann::json& object) {
    for (const auto& [key, hash] : kHashes)
        if (!(vote.*hash).empty()) object[key] = vote.*hash;
}

}  // namespace reelgrid::session
