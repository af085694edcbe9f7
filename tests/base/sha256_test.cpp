#include "core/base/sha256.h"

#include <gtest/gtest.h>

namespace reelgrid {
namespace {

std::span<const std::uint8_t> bytesOf(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Sha256, MatchesTheStandardsExample) {
    EXPECT_EQ(sha256Hex(bytesOf("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256Hex("abc"), sha256Hex(bytesOf("abc")));
    EXPECT_EQ(sha256Hex(std::string("a\0b", 3)), sha256Hex(bytesOf({"a\0b", 3})));
}

TEST(Sha256, IsTheSameInPieces) {
    Sha256 pieces;
    pieces.add(bytesOf("a"));
    pieces.add(bytesOf("bc"));
    EXPECT_EQ(pieces.finish(), sha256Hex(bytesOf("abc")));
}

}  // namespace
}  // namespace reelgrid
