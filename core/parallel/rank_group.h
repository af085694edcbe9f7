#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>

#include "core/base/result.h"
#include "core/parallel/communicator.h"
#include "core/parallel/device_watch.h"
#include "core/parallel/exchange_choice.h"
#include "core/parallel/mesh.h"
#include "core/parallel/rank_place.h"
#include "core/parallel/rank_store.h"
#include "core/parallel/rank_watch.h"

namespace reelgrid::parallel {

/// The processes that render together, as one of them sees it. Lives on the thread that renders.
class RankGroup {
  public:
    /// Waits until all are there. `timeout`: how long a rank waits for others, now and later. Throws Failure
    /// naming the address where nobody answered or the rank that didn't come.
    RankGroup(const RankPlace& place, std::chrono::milliseconds timeout);
    RankGroup(const RankGroup&) = delete;
    RankGroup& operator=(const RankGroup&) = delete;

    [[nodiscard]] int rank() const { return m_place.rank; }
    [[nodiscard]] int ranks() const { return m_place.ranks; }
    [[nodiscard]] const RankPlace& place() const { return m_place; }
    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_timeout; }
    /// Whether this rank writes the result.
    [[nodiscard]] bool writes() const { return rank() == 0; }

    [[nodiscard]] RankStore& store() { return *m_store; }
    [[nodiscard]] RankWatch& watch() { return m_watch; }
    [[nodiscard]] Communicator& all() { return *m_all; }

    /// Called by all ranks, once each has started the device that it computes on: they agree on how tensors
    /// of GPUs are exchanged. Until then they go through host memory. Throws Failure(BadUsage) where NCCL was
    /// asked for in vain.
    void agreeOnExchange(at::Device device);
    [[nodiscard]] const ExchangeChoice& exchange() const { return m_exchange; }
    /// Of what is exchanged between GPUs.
    [[nodiscard]] DeviceWatch& deviceWatch() { return m_deviceWatch; }
    /// Called by all ranks in the same order. Throws Failure(BadUsage) unless there are as many ranks as the
    /// degrees say.
    [[nodiscard]] Mesh& mesh(const Degrees& degrees);

    /// What asks this rank to stop from now on. One rank's wish is all ranks', from the same step on.
    void setStop(std::stop_token asked);
    [[nodiscard]] std::stop_token agreedStop() const { return m_agreed.get_token(); }
    /// Called by all ranks after each step.
    void agreeOnStop();
    /// What comes is this rank's alone: a wish to stop counts at once, until the next setStop() or
    /// agreeOnStop().
    void stopAlone();

  private:
    RankPlace m_place;
    std::chrono::milliseconds m_timeout;
    std::unique_ptr<RankStore> m_store;
    RankWatch m_watch;
    DeviceWatch m_deviceWatch;
    ExchangeChoice m_exchange;
    std::unique_ptr<Communicator> m_all;
    std::map<std::tuple<int, int, int>, std::unique_ptr<Mesh>> m_meshes;
    std::stop_token m_asked;
    std::stop_source m_agreed;
    std::optional<std::stop_callback<std::function<void()>>> m_alone;
};

}  // namespace reelgrid::parallel
