#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fleet/host.h"
#include "core/jobs/lane_options.h"
#include "core/machine/machine.h"

namespace reelgrid::fleet {

/// A host that was asked what it has.
struct SurveyedHost {
    Host host;
    Result<machine::Machine> machine = Error{};  ///< or why it can't be had, naming it
};

/// Asks all of them at once, `doctor --json` each; `here` answers for this machine. Blocks until they have
/// answered (a batch system's when it has room), failed, or `stop` came. A host must have our version.
std::vector<SurveyedHost> surveyHosts(const std::vector<Host>& hosts, const machine::Machine& here,
                                      const std::stop_token& stop);

/// "ssh://gpu03: 2 GPUs (NVIDIA H100 80GB HBM3), 12 models", for a person.
std::string summaryOf(const SurveyedHost& host);

enum class Compute { OnGpus, OnCpus };

/// A lane for each device of the hosts that answered and can compute so: those that the host names, else
/// each of its GPUs or its processor.
std::vector<jobs::LaneOptions> lanesOf(const std::vector<SurveyedHost>& hosts, Compute compute);
/// The same of all devices: each host's GPUs, or its processor where none can be used.
std::vector<jobs::LaneOptions> lanesOf(const std::vector<SurveyedHost>& hosts);

/// The machine whose settings all of them can take on: the first that has a GPU which can be used, else the
/// first that answered. Null where none has.
const machine::Machine* referenceOf(const std::vector<SurveyedHost>& hosts);

}  // namespace reelgrid::fleet
