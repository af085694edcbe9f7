#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/result/manifest.h"

namespace reelgrid::suite {

/// Of a clip's manifest what another suite's clip may differ in, and what its times depend on: settings,
/// model, pictures, versions, device, machine and plug-ins. All else is empty.
result::Manifest comparedPart(const result::Manifest& manifest);

/// As suite.json has that: those fields of manifest.json.
nlohmann::json comparedJson(const result::Manifest& manifest);

/// What two JSON objects say alike, objects in them likewise.
nlohmann::json alikeIn(const nlohmann::json& a, const nlohmann::json& b);

/// What an object says beside what it has `alike` with others: `alike` merged with this (RFC 7386) is the
/// object again, as long as nothing in it is null.
nlohmann::json besides(const nlohmann::json& whole, const nlohmann::json& alike);

}  // namespace reelgrid::suite
