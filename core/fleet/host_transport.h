#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/fleet/host.h"
#include "core/jobs/worker_transport.h"
#include "core/machine/machine.h"
#include "core/result/component_hash.h"

namespace reelgrid::fleet {

/// Workers on another machine (HostWorker).
class HostTransport : public jobs::WorkerTransport {
  public:
    /// `machine`: what it said of itself. `hasher` is shared by all of a fleet, so that nothing is read
    /// twice.
    HostTransport(Host host, machine::Machine machine, std::shared_ptr<result::ComponentHasher> hasher);

    Result<std::unique_ptr<jobs::RunningWorker>> start(const std::vector<std::string>& arguments,
                                                       jobs::WorkerListener listener) override;
    /// What it kept went with the connection.
    jobs::KeptSteps keptSteps(const std::filesystem::path&) override { return {}; }
    [[nodiscard]] std::string machine() const override { return m_host.name(); }
    [[nodiscard]] std::optional<std::string> obstacleTo(
        const protocol::RenderRequest& request) const override;
    [[nodiscard]] jobs::WorkerPatience patience() const override;

  private:
    [[nodiscard]] std::optional<std::string> modelObstacle(const std::string& model) const;

    const Host m_host;
    const machine::Machine m_machine;
    const std::shared_ptr<result::ComponentHasher> m_hasher;
    mutable std::mutex m_mutex;                                             ///< guards m_obstacles
    mutable std::map<std::string, std::optional<std::string>> m_obstacles;  ///< by model
};

/// Why a machine that said this of itself can't render the model: it lacks it. Built-in models and hub ids
/// are known by name, folders and files by family and size: what is in them is compared by the host.
std::optional<std::string> modelObstacleOn(const machine::Machine& machine, const std::string& model);

}  // namespace reelgrid::fleet
