#include "core/parallel/communicator.h"

// The header is for builds with Gloo, which libtorch's are.
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/parallel/rank_group.h"
#include "core/parallel/store_handle.h"

namespace reelgrid::parallel {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a rank that waits looks whether the others live.
constexpr std::chrono::seconds kSlice{1};

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

/// As bytes in host memory, so that Gloo need not know the dtype.
at::Tensor bytesOf(const at::Tensor& x) {
    return x.contiguous().cpu().flatten().view(at::kByte);
}

}  // namespace

struct Communicator::Backend {
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
};

struct Exchange::Work {
    RankGroup& group;
    c10::intrusive_ptr<c10d::Work> work{};  ///< null: nothing to wait for
    at::Tensor sent{}, received{};          ///< bytes
    std::vector<std::int64_t> shape{};      ///< of what is received
    at::ScalarType dtype = at::kByte;
    at::Device device = at::kCPU;
};

Exchange::Exchange(std::unique_ptr<Work> work) : m_work(std::move(work)) {}
Exchange::Exchange(Exchange&& other) noexcept = default;
Exchange& Exchange::operator=(Exchange&& other) noexcept = default;
Exchange::~Exchange() = default;

at::Tensor Exchange::received() {
    const auto work = std::exchange(m_work, nullptr);
    const auto start = Clock::now();
    while (work->work) {
        try {
            work->work->wait(kSlice);
            break;
        } catch (const std::exception& failure) {
            if (work->work->isCompleted()) work->group.watch().explain(firstLine(failure));
        }
        work->group.watch().check();
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
        if (waited >= work->group.timeout()) work->group.watch().explainWaiting(waited);
    }
    return work->received.view(work->dtype).view(work->shape).to(work->device);
}

Communicator::Communicator(RankGroup& group, const std::string& name, const std::vector<int>& members)
    : m_group(group),
      m_rank(static_cast<int>(std::ranges::find(members, group.rank()) - members.begin())),
      m_ranks(static_cast<int>(members.size())) {
    if (m_ranks == 1) return;
    // Gloo's own time-out ends what check() didn't: later, so that ours can say who is to blame.
    constexpr int kLater = 2;
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
Communicator::~Communicator() = default;

Exchange Communicator::startAllToAll(const at::Tensor& x) {
    auto work = std::make_unique<Exchange::Work>(Exchange::Work{
        .group = m_group, .shape = x.sizes().vec(), .dtype = x.scalar_type(), .device = x.device()});
    work->sent = bytesOf(x);
    work->received = work->sent;
    if (!m_backend) return Exchange(std::move(work));
    work->received = at::empty_like(work->sent);
    std::vector<std::int64_t> equal;
    work->work = m_backend->gloo->alltoall_base(work->received, work->sent, equal, equal);
    return Exchange(std::move(work));
}

Exchange Communicator::startPass(const at::Tensor& x) {
    auto work = std::make_unique<Exchange::Work>(Exchange::Work{
        .group = m_group, .shape = x.sizes().vec(), .dtype = x.scalar_type(), .device = x.device()});
    work->sent = bytesOf(x);
    work->received = work->sent;
    if (!m_backend) return Exchange(std::move(work));
    work->received = at::empty_like(work->sent);
    // All go to one rank and all come from one.
    std::vector<std::int64_t> to(static_cast<std::size_t>(m_ranks)), from(to);
    to[static_cast<std::size_t>((m_rank + 1) % m_ranks)] = work->sent.numel();
    from[static_cast<std::size_t>((m_rank + m_ranks - 1) % m_ranks)] = work->sent.numel();
    work->work = m_backend->gloo->alltoall_base(work->received, work->sent, from, to);
    return Exchange(std::move(work));
}

at::Tensor Communicator::gather(const at::Tensor& x) {
    auto shape = x.sizes().vec();
    shape.insert(shape.begin(), m_ranks);
    if (!m_backend) return x.contiguous().view(shape);
    Exchange::Work work{.group = m_group, .shape = shape, .dtype = x.scalar_type(), .device = x.device()};
    work.sent = bytesOf(x);
    work.received = at::empty({m_ranks * work.sent.numel()}, at::kByte);
    work.work = m_backend->gloo->_allgather_base(work.received, work.sent);
    return Exchange(std::make_unique<Exchange::Work>(std::move(work))).received();
}

at::Tensor Communicator::fromFirst(const at::Tensor& x) {
    if (!m_backend) return x;
    Exchange::Work work{
        .group = m_group, .shape = x.sizes().vec(), .dtype = x.scalar_type(), .device = x.device()};
    work.received = bytesOf(x).clone();
    std::vector<at::Tensor> tensors{work.received};
    work.work = m_backend->gloo->broadcast(tensors);
    return Exchange(std::make_unique<Exchange::Work>(std::move(work))).received();
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
