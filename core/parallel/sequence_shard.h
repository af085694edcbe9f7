#pragma once

// Shape legend: B batch, N tokens of a pass, n tokens of one rank, C channels.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/parallel/mesh.h"

namespace reelgrid::parallel {

/// Which of a pass's tokens this rank computes: all ranks as many, in their order. Behind the last token come
/// as many of zeros as are needed, which nobody looks at.
class SequenceShard {
  public:
    /// mesh: null for a process that computes all.
    SequenceShard(Mesh* mesh, std::int64_t tokens);

    /// Whether other ranks have tokens, too; else nothing of what follows changes or exchanges anything.
    [[nodiscard]] bool isShared() const { return m_each < m_tokens || m_each * ranks() > m_tokens; }
    [[nodiscard]] Mesh& mesh() const { return *m_mesh; }
    [[nodiscard]] std::int64_t tokens() const { return m_tokens; }
    /// n
    [[nodiscard]] std::int64_t each() const { return m_each; }
    /// The first of them.
    [[nodiscard]] std::int64_t begin() const { return m_begin; }

    /// How many tokens the ranks of Ulysses at that place of the ring have together, zeros not counted.
    [[nodiscard]] std::int64_t tokensInRing(int place) const;

    /// Of x, which has all tokens along `dim`, this rank's.
    [[nodiscard]] at::Tensor part(const at::Tensor& x, std::int64_t dim) const;
    /// The same of runs of tokens: how many each has here, none of them for some. tokens: of all runs but the
    /// last, which takes what is left.
    [[nodiscard]] std::vector<std::int64_t> runs(const std::vector<std::int64_t>& tokens) const;
    /// x_BnC of every rank → [B, N, C] on all of them.
    [[nodiscard]] at::Tensor gather(const at::Tensor& x_BnC) const;

  private:
    [[nodiscard]] std::int64_t ranks() const;

    Mesh* m_mesh;
    std::int64_t m_tokens, m_each, m_begin;
};

}  // namespace reelgrid::parallel
