#include "core/parallel/communicator.h"

// The header is for builds with Gloo, which libtorch's are.
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "core/parallel/rank_group.h"
#include "core/parallel/store_handle.h"

namespace reelgrid::parallel {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a rank that waits looks whether the others live.
constexpr std::chrono::seconds kSlice{1};
/// How often it looks at a GPU that it waits for.
constexpr std::chrono::microseconds kPoll{50};
/// How long NCCL may take to end by itself.
constexpr std::chrono::seconds kEnd{3};
/// c10d's own time-outs, in the group's: later, so that ours can say who is to blame.
constexpr int kLater = 2;

/// The network interface: $GLOO_SOCKET_IFNAME as PyTorch has it, the loopback where all ranks are on this
/// host, else the one that the host's own name belongs to.
auto deviceFor(const RankPlace& place) {
    if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"); interface != nullptr && *interface != '\0')
        return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
    if (place.localRanks == place.ranks) return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
    return c10d::ProcessGroupGloo::createDefaultDevice();
}

/// The first line of what c10d says.
std::string firstLine(const std::exception& failure) {
    const std::string message = failure.what();
    return message.substr(0, message.find('\n'));
}

/// Throws why an exchange failed: where this rank's watch has ended it, the watch's reason, which names the
/// rank that is to blame; NCCL says "internal error" then.
void throwReason(RankGroup& group, const std::exception& failure, const std::string& what = "") {
    group.deviceWatch().check();
    group.watch().explain(what + firstLine(failure));
}

/// As bytes, so that neither Gloo nor NCCL need know the dtype.
at::Tensor bytesOf(const at::Tensor& x) {
    return x.contiguous().flatten().view(at::kByte);
}

/// A moment of what is queued on a GPU.
std::shared_ptr<c10::Event> momentOn(at::Device device) {
    auto moment = std::make_shared<c10::Event>(device.type());
    moment->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    return moment;
}

/// Whether it has come; may be asked from a thread that has nothing to do with that GPU.
bool isPast(const std::shared_ptr<c10::Event>& moment, at::Device device) {
    const c10::DeviceGuard guard(device);
    return moment->query();
}

}  // namespace

struct Communicator::Backend {
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
    c10::intrusive_ptr<c10d::Backend> nccl{};  ///< null until a GPU's tensor is exchanged
};

struct Exchange::Work {
    RankGroup& group;
    c10d::Backend* backend = nullptr;       ///< null: nothing is exchanged
    c10::intrusive_ptr<c10d::Work> work{};  ///< null: nothing to wait for
    at::Tensor sent{}, received{};          ///< bytes
    at::Tensor into{};                      ///< where it is wanted; undefined: anywhere
    std::vector<std::int64_t> shape{};      ///< of what is received
    at::ScalarType dtype = at::kByte;
    at::Device device = at::kCPU;
    std::shared_ptr<c10::Event> queued{};  ///< by NCCL: when this rank has computed what it sends

    /// Queues the wait; when that is over.
    std::shared_ptr<c10::Event> awaitOnGpu();
    void awaitGloo();
    [[nodiscard]] at::Tensor result() const {
        if (into.defined()) {
            if (!received.is_alias_of(into)) bytesOf(into).copy_(received);
            return into;
        }
        return received.view(dtype).view(shape).to(device);
    }
};

void Exchange::Work::awaitGloo() {
    const auto start = Clock::now();
    while (work) {
        try {
            work->wait(kSlice);
            break;
        } catch (const std::exception& failure) {
            if (work->isCompleted()) group.watch().explain(firstLine(failure));
        }
        group.watch().check();
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
        if (waited >= group.timeout()) group.watch().explainWaiting(waited);
    }
}

std::shared_ptr<c10::Event> Exchange::Work::awaitOnGpu() {
    group.deviceWatch().check();
    try {
        work->synchronize();
    } catch (const std::exception& failure) {
        throwReason(group, failure);
    }
    auto done = momentOn(device);
    group.deviceWatch().follow({[begun = queued, on = device] { return isPast(begun, on); },
                                [done, on = device] { return isPast(done, on); }});
    return done;
}

Exchange::Exchange(std::unique_ptr<Work> work) : m_work(std::move(work)) {}
Exchange::Exchange(Exchange&& other) noexcept = default;
Exchange& Exchange::operator=(Exchange&& other) noexcept = default;
Exchange::~Exchange() = default;

at::Tensor Exchange::received() {
    const auto work = std::exchange(m_work, nullptr);
    if (work->queued)
        static_cast<void>(work->awaitOnGpu());
    else
        work->awaitGloo();
    return work->result();
}

at::Tensor Exchange::receivedHere() {
    if (!m_work->queued) return received();
    const auto work = std::exchange(m_work, nullptr);
    const auto done = work->awaitOnGpu();
    while (!done->query()) {
        work->group.deviceWatch().check();
        std::this_thread::sleep_for(kPoll);
    }
    work->group.deviceWatch().check();
    if (work->work->exception() != nullptr) work->group.watch().explain("NCCL says that an exchange failed");
    return work->result();
}

Communicator::Communicator(RankGroup& group, const std::string& name, const std::vector<int>& members)
    : m_group(group),
      m_name(name),
      m_rank(static_cast<int>(std::ranges::find(members, group.rank()) - members.begin())),
      m_ranks(static_cast<int>(members.size())) {
    if (m_ranks == 1) return;
    auto options = c10d::ProcessGroupGloo::Options::create(group.timeout() * kLater);
    options->devices.push_back(deviceFor(group.place()));
    const auto store =
        c10::make_intrusive<c10d::PrefixStore>(group.store().prefix() + name, group.store().handle().store);
    try {
        m_backend = std::make_unique<Backend>(
            Backend{c10::make_intrusive<c10d::ProcessGroupGloo>(store, m_rank, m_ranks, std::move(options))});
    } catch (const std::exception& failure) {
        group.watch().explain("the ranks can't be connected: " + firstLine(failure));
    }
}

Communicator::~Communicator() {
    if (!m_backend || !m_backend->nccl) return;
    // NCCL's own end waits for what others have under way; where one of them is gone, for ever.
    const auto isEnded = std::make_shared<std::promise<void>>();
    std::future<void> end = isEnded->get_future();
    std::thread([nccl = m_backend->nccl, isEnded] {
        try {
            nccl->shutdown();
        } catch (const std::exception&) {
            // It is not used any more.
        }
        isEnded->set_value();
    }).detach();
    if (end.wait_for(kEnd) != std::future_status::ready) static_cast<void>(m_backend->nccl.release());
}

/// Called by all of them at their first tensor of a GPU. Who is late is waited for by Gloo, and while they
/// connect by the watch.
void Communicator::connectGpus(at::Device device) {
    static_cast<void>(gather(at::zeros({1}, at::kByte)));
    const auto store = c10::make_intrusive<c10d::PrefixStore>(m_group.store().prefix() + "gpus " + m_name,
                                                              m_group.store().handle().store);
    const auto isConnected = std::make_shared<std::atomic<bool>>(false);
    m_group.deviceWatch().follow({[] { return true; }, [isConnected] { return isConnected->load(); }});
    try {
        m_backend->nccl = c10::intrusive_ptr<c10d::Backend>::reclaim(m_group.exchange().nccl->connect(
            store, m_rank, m_ranks, device.index(), m_group.timeout() * kLater));
        *isConnected = true;
    } catch (const std::exception& failure) {
        *isConnected = true;
        throwReason(m_group, failure, "the ranks' GPUs can't be connected: ");
    }
    m_group.deviceWatch().addEnd([nccl = m_backend->nccl] { nccl->abort(); });
}

std::unique_ptr<Exchange::Work> Communicator::prepared(const at::Tensor& x) const {
    auto work = std::make_unique<Exchange::Work>(Exchange::Work{
        .group = m_group, .shape = x.sizes().vec(), .dtype = x.scalar_type(), .device = x.device()});
    const bool isByNccl = m_backend && x.is_cuda() && m_group.exchange().nccl != nullptr;
    work->sent = bytesOf(m_backend && !isByNccl ? x.cpu() : x);
    work->received = work->sent;
    return work;
}

/// Hands it to Gloo or NCCL; `how` calls that one.
void Communicator::begin(Exchange::Work& work, const std::function<void(Exchange::Work&)>& how) {
    work.backend = m_backend->gloo.get();
    if (work.sent.is_cuda()) {
        m_group.deviceWatch().check();
        if (!m_backend->nccl) connectGpus(work.device);
        work.backend = m_backend->nccl.get();
        work.queued = momentOn(work.device);
    }
    try {
        how(work);
    } catch (const std::exception& failure) {
        throwReason(m_group, failure);
    }
}

Exchange Communicator::startAllToAll(const at::Tensor& x) {
    auto work = prepared(x);
    if (!m_backend) return Exchange(std::move(work));
    work->received = at::empty_like(work->sent);
    begin(*work, [](Exchange::Work& exchange) {
        std::vector<std::int64_t> equal;
        exchange.work = exchange.backend->alltoall_base(exchange.received, exchange.sent, equal, equal);
    });
    return Exchange(std::move(work));
}

Exchange Communicator::startPass(const at::Tensor& x) {
    auto work = prepared(x);
    if (!m_backend) return Exchange(std::move(work));
    work->received = at::empty_like(work->sent);
    begin(*work, [this](Exchange::Work& exchange) {
        // All go to one rank and all come from one.
        std::vector<std::int64_t> to(static_cast<std::size_t>(m_ranks)), from(to);
        to[static_cast<std::size_t>((m_rank + 1) % m_ranks)] = exchange.sent.numel();
        from[static_cast<std::size_t>((m_rank + m_ranks - 1) % m_ranks)] = exchange.sent.numel();
        exchange.work = exchange.backend->alltoall_base(exchange.received, exchange.sent, from, to);
    });
    return Exchange(std::move(work));
}

Exchange Communicator::startGather(const at::Tensor& x, const at::Tensor& whole) {
    auto work = prepared(x);
    work->into = whole;
    const at::Tensor bytes = bytesOf(whole);
    if (!m_backend) {
        bytes.copy_(work->sent);
        work->received = bytes;
        return Exchange(std::move(work));
    }
    work->received =
        work->sent.device() == whole.device() ? bytes : at::empty_like(bytes, work->sent.options());
    begin(*work, [](Exchange::Work& exchange) {
        exchange.work = exchange.backend->_allgather_base(exchange.received, exchange.sent);
    });
    return Exchange(std::move(work));
}

at::Tensor Communicator::gather(const at::Tensor& x) {
    auto work = prepared(x);
    work->shape.insert(work->shape.begin(), m_ranks);
    if (!m_backend) return work->result();
    work->received = at::empty({m_ranks * work->sent.numel()}, work->sent.options());
    begin(*work, [](Exchange::Work& exchange) {
        exchange.work = exchange.backend->_allgather_base(exchange.received, exchange.sent);
    });
    return Exchange(std::move(work)).receivedHere();
}

at::Tensor Communicator::fromFirst(const at::Tensor& x) {
    if (!m_backend) return x;
    auto work = prepared(x);
    work->received = work->sent.clone();
    begin(*work, [](Exchange::Work& exchange) {
        std::vector<at::Tensor> tensors{exchange.received};
        exchange.work = exchange.backend->broadcast(tensors);
    });
    return Exchange(std::move(work)).receivedHere();
}

std::string Communicator::fromFirst(const std::string& text) {
    const auto size = fromFirst(at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong));
    std::string all =
        m_rank == 0 ? text : std::string(static_cast<std::size_t>(size.item<std::int64_t>()), ' ');
    if (all.empty()) return all;
    const at::Tensor bytes =
        fromFirst(at::from_blob(all.data(), {static_cast<std::int64_t>(all.size())}, at::kByte));
    return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

std::vector<std::string> Communicator::gather(const std::string& text) {
    const at::Tensor sizes = gather(at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong));
    const auto most = std::max<std::int64_t>(sizes.max().item<std::int64_t>(), 1);
    at::Tensor mine = at::zeros({most}, at::kByte);
    std::memcpy(mine.data_ptr(), text.data(), text.size());
    const at::Tensor all = gather(mine);
    std::vector<std::string> texts;
    for (int rank = 0; rank < m_ranks; ++rank)
        texts.emplace_back(static_cast<const char*>(all[rank].const_data_ptr()),
                           static_cast<std::size_t>(sizes[rank].item<std::int64_t>()));
    return texts;
}

std::vector<double> Communicator::largest(const std::vector<double>& values) {
    if (values.empty()) return values;
    const at::Tensor all = std::get<0>(gather(at::tensor(values, at::kDouble)).max(0)).contiguous();
    return {all.const_data_ptr<double>(), all.const_data_ptr<double>() + all.numel()};
}

}  // namespace reelgrid::parallel
