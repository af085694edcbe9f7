#include "core/fleet/host_survey.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/json.h"
#include "core/base/version.h"
#include "core/devices/gpu_choice.h"
#include "core/fleet/host_transport.h"
#include "core/jobs/line_process.h"
#include "core/machine/machine_json.h"

namespace reelgrid::fleet {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{32} << 20;
/// Looking at models takes a while where there are many on a slow disk.
constexpr auto kPatience = std::chrono::seconds(120);

/// What a program prints until it ends.
class Answer {
  public:
    Result<std::string> of(const HostCommand& command, std::optional<std::chrono::seconds> patience,
                           const std::stop_token& stop) {
        auto process = jobs::LineProcess::start({command.program, command.arguments},
                                                {[this](const std::string& line) { return take(line); },
                                                 [this](const std::string& how) { end(how); }});
        if (!process) return process.error();
        const std::stop_callback onStop(stop, [this] { wake(); });
        std::unique_lock lock(m_mutex);
        const auto isOver = [&] { return !m_how.empty() || stop.stop_requested(); };
        const bool came =
            patience ? m_changed.wait_for(lock, *patience, isOver) : (m_changed.wait(lock, isOver), true);
        const std::string how = m_how;
        lock.unlock();
        (*process)->signal(SIGTERM);
        (*process)->endWithin(std::chrono::seconds(2));
        if (how.empty())
            return Error{came ? ErrorCode::Cancelled : ErrorCode::Io,
                         came ? "cancelled" : "it did not answer in time"};
        if (m_text.empty()) return Error{ErrorCode::Io, "`" + command.program + "` " + how};
        return m_text;
    }

  private:
    Result<void> take(const std::string& line) {
        const std::lock_guard lock(m_mutex);
        if (m_text.size() + line.size() > kMostBytes)
            return Error{ErrorCode::InvalidData, "printed more than 32 MiB"};
        m_text += line + "\n";
        return {};
    }
    void end(const std::string& how) {
        {
            const std::lock_guard lock(m_mutex);
            m_how = how;
        }
        m_changed.notify_all();
    }
    void wake() {
        { const std::lock_guard lock(m_mutex); }
        m_changed.notify_all();
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::string m_text, m_how;
};

Result<machine::Machine> machineIn(const std::string& text) {
    const auto document = parseJson(text, "what doctor --json printed");
    if (!document) return document.error();
    const json::json_pointer version("/versions/reelgrid");
    const json told = document->is_object() && document->contains(version) ? (*document)[version] : json();
    if (told != json(kVersion))
        return Error{ErrorCode::Unsupported,
                     "it has ReelGrid " + (told.is_string() ? told.get<std::string>() : "without a number") +
                         "; " + kVersion + " was needed, as here"};
    return machine::machineFromJson(*document);
}

Result<machine::Machine> askHost(const Host& host, const std::stop_token& stop) {
    const bool isQueued = host.via == Host::Via::Slurm;
    Answer answer;
    const auto text = answer.of(commandOn(host, {"doctor", "--json"}),
                                isQueued ? std::nullopt : std::optional(kPatience), stop);
    if (!text) return text.error().in(host.name());
    auto machine = machineIn(*text);
    if (!machine) return machine.error().in(host.name());
    return machine;
}

std::vector<devices::DeviceName> usableGpus(const machine::Machine& machine) {
    std::vector<devices::DeviceName> gpus = devices::usableDevices(machine.gpus);
    std::erase_if(gpus, [](const auto& device) { return device.kind != devices::DeviceKind::Cuda; });
    return gpus;
}

/// Of those that the host names, or all.
std::vector<std::string> devicesOf(const SurveyedHost& host, Compute compute) {
    const auto kind = compute == Compute::OnGpus ? devices::DeviceKind::Cuda : devices::DeviceKind::Cpu;
    std::vector<std::string> names;
    for (const std::string& named : host.host.devices)
        if (const auto device = devices::deviceNamed(named); device && device->kind == kind)
            names.push_back(device->text());
    if (!host.host.devices.empty()) return names;
    if (compute == Compute::OnCpus) return {"cpu"};
    for (const auto& gpu : usableGpus(*host.machine)) names.push_back(gpu.text());
    return names;
}

template <class DevicesOf>
std::vector<jobs::LaneOptions> lanesOn(const std::vector<SurveyedHost>& hosts, DevicesOf devicesOfHost) {
    const auto hasher = std::make_shared<result::ComponentHasher>(result::KeptHashes::ofUser());
    std::vector<jobs::LaneOptions> lanes;
    for (const SurveyedHost& host : hosts) {
        if (!host.machine) continue;
        std::shared_ptr<jobs::WorkerTransport> transport;
        if (host.host.via != Host::Via::Here)
            transport = std::make_shared<HostTransport>(host.host, *host.machine, hasher);
        for (const std::string& device : devicesOfHost(host))
            for (int lane = 0; lane < host.host.lanes; ++lane) lanes.push_back({device, transport});
    }
    return lanes;
}

}  // namespace

std::vector<SurveyedHost> surveyHosts(const std::vector<Host>& hosts, const machine::Machine& here,
                                      const std::stop_token& stop) {
    std::vector<SurveyedHost> surveyed;
    for (const Host& host : hosts) surveyed.push_back({host, here});
    std::vector<std::jthread> askers;
    for (SurveyedHost& one : surveyed)
        if (one.host.via != Host::Via::Here)
            askers.emplace_back([&one, &stop] { one.machine = askHost(one.host, stop); });
    askers.clear();
    return surveyed;
}

std::string summaryOf(const SurveyedHost& host) {
    if (!host.machine) return host.machine.error().message;
    const auto counted = [](std::size_t count, const std::string& noun) {
        return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
    };
    std::set<std::string> kinds;
    for (const devices::Gpu& gpu : host.machine->gpus.gpus) kinds.insert(gpu.name);
    std::string gpus = host.machine->cpu.name + ", no GPU";
    if (const auto usable = usableGpus(*host.machine); !usable.empty()) {
        gpus = counted(usable.size(), "GPU") + " (";
        for (const std::string& kind : kinds) gpus += (kind == *kinds.begin() ? "" : ", ") + kind;
        gpus += ")";
    }
    const bool saysModels = host.host.via != Host::Via::Here;
    return host.host.name() + ": " + gpus +
           (saysModels ? ", " + counted(host.machine->models.size(), "model") : "");
}

std::vector<jobs::LaneOptions> lanesOf(const std::vector<SurveyedHost>& hosts, Compute compute) {
    return lanesOn(hosts, [compute](const SurveyedHost& host) { return devicesOf(host, compute); });
}

std::vector<jobs::LaneOptions> lanesOf(const std::vector<SurveyedHost>& hosts) {
    return lanesOn(hosts, [](const SurveyedHost& host) {
        if (!host.host.devices.empty()) return host.host.devices;
        const auto gpus = devicesOf(host, Compute::OnGpus);
        return gpus.empty() ? devicesOf(host, Compute::OnCpus) : gpus;
    });
}

const machine::Machine* referenceOf(const std::vector<SurveyedHost>& hosts) {
    const machine::Machine* first = nullptr;
    for (const SurveyedHost& host : hosts) {
        if (!host.machine) continue;
        if (!devicesOf(host, Compute::OnGpus).empty()) return &*host.machine;
        if (first == nullptr) first = &*host.machine;
    }
    return first;
}

}  // namespace reelgrid::fleet
