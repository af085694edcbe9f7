#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/protocol/field_reader.h"
#include "core/session/blind_vote.h"

namespace reelgrid::session {

// Which clips a vote is of, as session.json and a suite's votes.json have it: "first_sha256" and
// "second_sha256", each absent where it isn't known.

/// An error of the reader's where one is no SHA-256.
void readHashes(protocol::FieldReader& fields, BlindVote& vote);
void writeHashes(const BlindVote& vote, nlohmann::json& object);

}  // namespace reelgrid::session
