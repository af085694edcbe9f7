#include "app/cli/policy_options.h"

#include <CLI/CLI.hpp>

#include "core/catalog/policy_check.h"
#include "core/protocol/attention_policy_json.h"

namespace reelgrid::cli {

void PolicyOptions::addTo(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--attention-policy",
            [this](const std::string& file) {
                m_file = file;
                m_policy = protocol::readSavedPolicy(file);
            },
            "JSON rules: a backend per module kind, layers, steps and guidance branch; the first that fits a "
            "call "
            "decides")
        ->type_name("FILE");
    command
        .add_option_function<std::vector<std::string>>(
            "--attention-rule",
            [this](const std::vector<std::string>& rules) {
                m_rules = rules;
                auto read = protocol::attentionPolicyFromRules(rules);
                if (read)
                    m_policy = protocol::SavedPolicy{*std::move(read), {}};
                else
                    m_policy = read.error();
            },
            "One such rule, repeatable: BACKEND[:module=self|cross|temporal|all,layers=A..B,steps=A..B,"
            "branch=conditional|unconditional]; -1 is the last layer or step")
        ->allow_extra_args(false)
        ->type_name("RULE");
}

Result<protocol::SavedPolicy> PolicyOptions::check(const families::ModelInfo& model, int steps,
                                                   const machine::Machine& machine) const {
    if (!m_file.empty() && !m_rules.empty())
        return Error{ErrorCode::BadUsage,
                     "--attention-policy and --attention-rule: only one of them gives the rules"};
    const std::string option = m_rules.empty() ? "--attention-policy" : "--attention-rule";
    if (!m_policy) return m_policy.error().in(option);
    if (auto fits = catalog::checkPolicy(m_policy->policy, model, steps, machine); !fits)
        return fits.error().in(m_file.empty() ? option : option + ": " + m_file);
    return m_policy;
}

}  // namespace reelgrid::cli
