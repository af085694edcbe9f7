#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/checked_request.h"
#include "app/cli/policy_options.h"
#include "app/cli/script_options.h"
#include "app/cli/unbuilt_options.h"
#include "core/base/result.h"

namespace reelgrid::cli {

/// The options that `render` and `compare` share, and the request that they make.
class RenderOptions {
  public:
    /// One option for each field of a request, but for those `without` names by key.
    void addTo(CLI::App& command, std::initializer_list<std::string_view> without = {});

    /// The request, for `attentionType`, checked against the model and the machine before anything is loaded:
    /// BadUsage or what is wrong with the model. Its output is left empty.
    [[nodiscard]] Result<CheckedRequest> check(const std::string& attentionType,
                                               const machine::Machine& machine) const;
    /// The same with a model that an earlier check() found: looking for it reads every weight header.
    [[nodiscard]] Result<CheckedRequest> check(const std::string& attentionType,
                                               const families::ModelInfo& model,
                                               const machine::Machine& machine) const;

    /// Whether the command is another program's script's (ScriptOptions).
    [[nodiscard]] bool isScript() const { return m_script.isScript(); }

    /// --num-samples may be more than one.
    void allowSamples() { m_script.allowSamples(); }
    /// Clips to render, each with the seed after the one before.
    [[nodiscard]] int samples() const { return m_script.samples(); }

    /// One line on stderr for each option of another program's scripts that decides nothing in this render.
    void sayIdleOptions(const CheckedRequest& checked) const;

    /// How many ranks share the render; their degrees have to come to as many.
    void setRanks(int ranks) { m_ranks = ranks; }

  private:
    /// What can be said without the model.
    [[nodiscard]] Result<protocol::RenderRequest> checkWords(const std::string& attentionType,
                                                             const machine::Machine& machine) const;
    [[nodiscard]] Result<CheckedRequest> checkFor(protocol::RenderRequest request,
                                                  const families::ModelInfo& model,
                                                  const machine::Machine& machine) const;

    protocol::RenderRequest m_request;
    std::optional<std::string> m_prompt;
    std::string m_seed = "42";
    std::optional<std::string> m_dtype, m_stepCache;
    PolicyOptions m_policy;
    ScriptOptions m_script;
    UnbuiltOptions m_unbuilt;
    int m_ranks = 1;
};

/// One line on stderr, where they are many: what the frames kept without loss will take.
void sayKeptFrames(std::uint64_t bytes);

/// One line on stderr for each option and rule that decides nothing, and for options about captures when none
/// are made; and sayKeptFrames() for the clip. `otherBackends`: what a comparison asks for beside it.
void sayIdleChoices(const CheckedRequest& checked, const std::vector<std::string>& otherBackends = {});

/// BadUsage unless the machine has a backend of that name.
Result<void> checkAttentionType(const std::string& option, const std::string& name,
                                const machine::Machine& machine);

}  // namespace reelgrid::cli
