#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/attention_policy.h"

namespace reelgrid::protocol {

/// "7", "0-3", "0..3", "-2..-1", "-2--1"; nothing for other text.
std::optional<IndexRange> indexRangeFrom(std::string_view text);

/// The range counted from the start of `count` layers or steps, which `noun` names in the singular. BadUsage
/// naming the range when it is not within them or runs backwards.
Result<IndexRange> countedFromStart(const IndexRange& range, const std::string& noun, int count);

/// The indices that ranges such as "0,5-9,-1" name together, ascending; all `count` of them for an empty
/// text. BadUsage.
Result<std::vector<int>> indicesFrom(const std::string& ranges, const std::string& noun, int count);

}  // namespace reelgrid::protocol
