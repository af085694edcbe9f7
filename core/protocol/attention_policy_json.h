#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/attention_policy.h"

// As JSON: {"rules": [{"backend": "fav2", "module": "self" | "cross" | "all", "layers": 7, "steps": [0, 1],
// "branch": "conditional" | "unconditional"}, …]}. Only "backend" is needed. A range is one number,
// [first, last] or text ("7", "0-3", "-2..-1"). A file may have "backend_option": ["NAME.KEY=VALUE", …]
// beside its rules.

namespace reelgrid::protocol {

nlohmann::json toJson(const AttentionPolicy& policy);

/// BadUsage naming rule (counted from 1), field, value and what was needed; unknown fields are refused, so
/// that a misspelt selector doesn't widen a rule in silence. Whether the backends exist and the model has the
/// layers is for the caller to check.
Result<AttentionPolicy> attentionPolicyFromJson(const nlohmann::json& json);

/// A policy's file: rules, and what they were made with.
struct SavedPolicy {
    AttentionPolicy policy;
    std::vector<std::string> backendOption;  ///< as RenderFields has them
};
nlohmann::json toJson(const SavedPolicy& file);

/// Reads a file of at most 64 KB. BadUsage (NotFound when there is none) naming the file.
Result<SavedPolicy> readSavedPolicy(const std::filesystem::path& file);
/// The same for those who have no use for options: a file that has some is BadUsage, too.
Result<AttentionPolicy> readAttentionPolicy(const std::filesystem::path& file);

/// Rules as the command line spells them: "fav2:module=self,steps=0..1", "sdpa:layers=-2..-1", "fav2".
Result<AttentionPolicy> attentionPolicyFromRules(const std::vector<std::string>& rules);

}  // namespace reelgrid::protocol
