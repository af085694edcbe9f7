#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reelgrid::text {

/// Two tokens that become one.
struct Merge {
    std::string left, right;
    std::size_t place = 0;  ///< its line, or its place in a list, from 1

    [[nodiscard]] std::string made() const { return left + right; }
};

/// The merges of a byte-pair vocabulary in the order in which they are made.
struct Merges {
    std::string origin;  ///< their file
    std::string unit;    ///< what a place counts: "line"
    std::vector<Merge> list;

    /// "FILE: line 4, the merge \"t h\"", for messages.
    [[nodiscard]] std::string nameOf(const Merge& merge) const;
};

/// Of a merges.txt ("a b" a line), and of tokenizer.json's list ("a b", since 2024 ["a", "b"]). Throw
/// Failure(InvalidData) naming `origin`, the line and the merge that is none or is there twice.
Merges mergesOfText(const std::string& lines, const std::string& origin);
Merges mergesOfJson(const nlohmann::json& listed, const std::string& origin);

}  // namespace reelgrid::text
