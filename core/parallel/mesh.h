#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/parallel/communicator.h"
#include "core/parallel/degrees.h"

namespace reelgrid::parallel {

class RankGroup;

/// A group's ranks as they share one render: cfg × ring × ulysses, ulysses innermost, so that those that
/// exchange most are neighbours.
class Mesh {
  public:
    /// As many ranks as the degrees say; called by all of them.
    Mesh(RankGroup& group, const Degrees& degrees);
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    [[nodiscard]] RankGroup& group() { return m_group; }
    [[nodiscard]] const Degrees& degrees() const { return m_degrees; }
    /// Ranks that have the same tokens and branch but for heads; those that have the other tokens of the same
    /// heads; both together, in the order of their tokens; those that compute another branch.
    [[nodiscard]] Communicator& ulysses() { return m_ulysses; }
    [[nodiscard]] Communicator& ring() { return m_ring; }
    [[nodiscard]] Communicator& tokens() { return m_tokens; }
    [[nodiscard]] Communicator& branches() { return m_branches; }
    /// All of them, for what layers gather ahead of use beside all other exchanges. Called first by all at
    /// the same time.
    [[nodiscard]] Communicator& weights();

    /// Throws Failure(BadUsage) unless every rank gets as many heads.
    void requireHeads(std::int64_t heads) const;

  private:
    RankGroup& m_group;
    Degrees m_degrees;
    Communicator m_ulysses, m_ring, m_tokens, m_branches;
    std::unique_ptr<Communicator> m_weights;  ///< null until it is needed
};

}  // namespace reelgrid::parallel
