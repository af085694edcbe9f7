#include "core/fleet/host_transport.h"

#include <algorithm>
#include <filesystem>

#include "core/base/byte_count.h"
#include "core/catalog/model_catalog.h"
#include "core/devices/gpu_choice.h"
#include "core/fleet/host_worker.h"
#include "core/fleet/request_files.h"
#include "core/protocol/asked_backends.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::fleet {
namespace {

/// A worker holds a model, and of a cluster a node, which others may need.
constexpr auto kKeptBySsh = std::chrono::minutes(10);
constexpr auto kKeptBySlurm = std::chrono::seconds(20);

bool hasModel(const machine::Machine& machine, const std::string& id) {
    return std::ranges::find(machine.models, id, &machine::Model::id) != machine.models.end();
}

std::optional<std::string> backendObstacle(const machine::Machine& machine, const std::string& name) {
    const kernels::BackendInfo* ours = kernels::findBackend(name);
    if (ours == nullptr || ours->plugin == nullptr) {
        const bool isKnown = name == protocol::kDefaultBackend || machine.findBackend(name) != nullptr;
        return isKnown ? std::nullopt : std::optional("it lacks the backend " + name);
    }
    if (std::filesystem::path(ours->plugin->description.file).extension() != ".json") return std::nullopt;
    return "the backend " + name + " is a recipe, " + ours->plugin->description.file +
           ": its library isn't sent";
}

}  // namespace

std::optional<std::string> modelObstacleOn(const machine::Machine& machine, const std::string& model) {
    if (!std::filesystem::path(model).is_absolute()) {
        if (hasModel(machine, model)) return std::nullopt;
        return "it lacks the model " + model;
    }
    const auto found = catalog::findModel(model);
    if (!found) return found.error().message;
    const bool isThere = std::ranges::any_of(machine.models, [&](const machine::Model& other) {
        return other.family == found->family && other.bytes == found->bytes();
    });
    if (isThere) return std::nullopt;
    return "it lacks the model " + model + " (" + byteCount(found->bytes()) + ", " + found->family + ")";
}

HostTransport::HostTransport(Host host, machine::Machine machine,
                             std::shared_ptr<result::ComponentHasher> hasher)
    : m_host(std::move(host)), m_machine(std::move(machine)), m_hasher(std::move(hasher)) {}

Result<std::unique_ptr<jobs::RunningWorker>> HostTransport::start(const std::vector<std::string>& arguments,
                                                                  jobs::WorkerListener listener) {
    auto worker = HostWorker::start(m_host, arguments, m_hasher, std::move(listener));
    if (!worker) return worker.error();
    return std::unique_ptr<jobs::RunningWorker>(*std::move(worker));
}

std::optional<std::string> HostTransport::obstacleTo(const protocol::RenderRequest& request) const {
    if (request.device) {
        const auto device = devices::deviceNamed(*request.device);
        if (!device) return device.error().message;
        if (auto obstacle = devices::obstacleOn(m_machine.gpus, *device)) return obstacle->message;
    }
    for (const std::string& backend : protocol::askedBackends(request))
        if (auto obstacle = backendObstacle(m_machine, backend)) return obstacle;
    if (auto obstacle = modelObstacle(request.model)) return obstacle;
    if (const std::string option = obstacleToSending(request); !option.empty()) return option;
    return std::nullopt;
}

/// Asked for every waiting job again and again, while looking at a model reads its headers.
std::optional<std::string> HostTransport::modelObstacle(const std::string& model) const {
    const std::lock_guard lock(m_mutex);
    const auto known = m_obstacles.find(model);
    if (known != m_obstacles.end()) return known->second;
    return m_obstacles[model] = modelObstacleOn(m_machine, model);
}

jobs::WorkerPatience HostTransport::patience() const {
    const bool isSlurm = m_host.via == Host::Via::Slurm;
    if (isSlurm) return {.isStartUnlimited = true, .idle = kKeptBySlurm};
    return {.idle = kKeptBySsh};
}

}  // namespace reelgrid::fleet
