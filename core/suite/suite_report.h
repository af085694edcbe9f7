#pragma once

#include <filesystem>
#include <string>

#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// One page: a table for each axis (means, intervals, differences, win rates), the worst clips, the gate, the
/// comparison with another suite. Links are relative to `folder`.
std::string suiteHtml(const SuiteResult& result, const std::string& title,
                      const std::filesystem::path& folder);

/// The line for a gate on what no clip was measured for, which is failed; empty for any other.
std::string unmeasuredGate(const SuiteResult& result);

/// The same in a few lines, for a terminal.
std::string suiteText(const SuiteResult& result);

}  // namespace reelgrid::suite
