#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::text {

/// One field of a protobuf message.
struct ProtoField {
    std::uint64_t number = 0;
    std::optional<std::string_view> bytes{};  ///< of a text or a message
    std::optional<std::uint64_t> integer{};   ///< of a varint
    std::optional<float> real{};              ///< of four bytes
    std::string_view whole{};                 ///< as it is written, number and all
};

/// Calls see(field) for each field of a serialized message, one after the other. Throws Failure(InvalidData)
/// naming `origin` when it isn't a SentencePiece model's. Source: protobuf's encoding.
void eachField(std::string_view message, const std::string& origin,
               const std::function<void(const ProtoField&)>& see);

}  // namespace reelgrid::text
