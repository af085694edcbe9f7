#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/attention_policy_json.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// --attention-policy FILE, or its rules one by one with --attention-rule.
class PolicyOptions {
  public:
    void addTo(CLI::App& command);

    /// The policy and its options, empty when none was given. BadUsage naming file (or option), rule, field
    /// and value when it can't be read or doesn't fit the model, the number of steps and the machine.
    [[nodiscard]] Result<protocol::SavedPolicy> check(const families::ModelInfo& model, int steps,
                                                      const machine::Machine& machine) const;

  private:
    std::string m_file;
    std::vector<std::string> m_rules;
    /// Read when the command line is: each backend of a comparison gets the same rules.
    Result<protocol::SavedPolicy> m_policy = protocol::SavedPolicy{};
};

}  // namespace reelgrid::cli
