#pragma once

// Shape legend: R ranks of the communicator.

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace reelgrid::parallel {

class RankGroup;

/// An exchange under way. What it sends and receives lives as long as it does.
class Exchange {
  public:
    struct Work;
    explicit Exchange(std::unique_ptr<Work> work);
    Exchange(Exchange&& other) noexcept;
    Exchange& operator=(Exchange&& other) noexcept;
    ~Exchange();

    /// Waits for it; what came. Of a GPU what is queued next waits, not the caller. Throws Failure naming the
    /// rank that ended, fell silent or kept the others waiting for longer than the group's timeout; Cancelled
    /// where that is why it ended. Once.
    [[nodiscard]] at::Tensor received();
    /// The same, where the caller waits in any case.
    [[nodiscard]] at::Tensor receivedHere();

  private:
    std::unique_ptr<Work> m_work;
};

/// Some ranks of a group, which call the same functions in the same order: c10d's Gloo over TCP; tensors of a
/// GPU by NCCL, on a stream of its own, where the group has agreed on that, else through host memory. Of any
/// dtype; what comes back is bit by bit what was sent, contiguous, on the device that it was sent from.
class Communicator {
  public:
    /// `members`: ranks of the group in the communicator's own order, this rank among them; `name` is unique
    /// in the group. Throws Failure naming who doesn't come.
    Communicator(RankGroup& group, const std::string& name, const std::vector<int>& members);
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int ranks() const { return m_ranks; }

    /// x_R…: part r goes to rank r; what rank r sent here comes as part r.
    [[nodiscard]] Exchange startAllToAll(const at::Tensor& x);
    [[nodiscard]] at::Tensor allToAll(const at::Tensor& x) { return startAllToAll(x).received(); }
    /// To the next rank, the last one's to the first; what came from the one before, of the same shape.
    [[nodiscard]] Exchange startPass(const at::Tensor& x);
    /// x of the same shape on every rank → `whole`, [R, …] or another shape of as many, contiguous, of x's
    /// dtype on its device. received() is `whole`, which nobody else touches until then.
    [[nodiscard]] Exchange startGather(const at::Tensor& x, const at::Tensor& whole);
    /// x of the same shape on every rank → [R, …], which has come.
    [[nodiscard]] at::Tensor gather(const at::Tensor& x);
    /// Rank 0's, whose shape and dtype x has on every rank.
    [[nodiscard]] at::Tensor fromFirst(const at::Tensor& x);
    /// Rank 0's text on every rank.
    [[nodiscard]] std::string fromFirst(const std::string& text);
    /// Every rank's text, in their order.
    [[nodiscard]] std::vector<std::string> gather(const std::string& text);
    /// The largest of each value.
    [[nodiscard]] std::vector<double> largest(const std::vector<double>& values);
    /// Added up in the order of the ranks, so that all have the same bits.
    [[nodiscard]] at::Tensor sum(const at::Tensor& x) { return gather(x).sum(0); }

  private:
    struct Backend;
    [[nodiscard]] std::unique_ptr<Exchange::Work> prepared(const at::Tensor& x) const;
    void begin(Exchange::Work& work, const std::function<void(Exchange::Work&)>& how);
    void connectGpus(at::Device device);

    RankGroup& m_group;
    std::string m_name;
    int m_rank, m_ranks;
    std::unique_ptr<Backend> m_backend;  ///< null: one rank, which exchanges nothing
};

}  // namespace reelgrid::parallel
