#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// What a suite's output folder calls it.
inline constexpr const char* kSuiteFile = "suite.json";

/// Whether a document looks like a suite's, by the keys that only such a one has.
bool isSuite(const nlohmann::json& document);

/// An untrusted suite.json that lies in `folder`. The plan's requests, which it doesn't have, are empty, and
/// so are the rows' manifests, which other_suite.h reads; measures that there aren't are left out.
/// InvalidData naming what is wrong, a clip outside the folder too (also by a symbolic link). Whether clips
/// exist is not looked at.
Result<SuiteResult> suiteFromJson(const nlohmann::json& document, const std::filesystem::path& folder);
/// Fails as readJsonObject() does, too.
Result<SuiteResult> readSuite(const std::filesystem::path& file);

/// Where the session of a clip's subject is.
std::filesystem::path sessionOf(const std::filesystem::path& clip);

}  // namespace reelgrid::suite
