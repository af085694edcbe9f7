#include "core/parallel/sequence_shard.h"

#include <algorithm>
#include <numeric>

namespace reelgrid::parallel {
namespace {

/// Of a rank's tokens, so that what a ring hands round begins where blocks do that share a scale in methods
/// that quantise (the largest of sagev1, fav3_sage: 256 queries), unless it costs more than a sixteenth.
std::int64_t tokensOfEach(const Degrees& degrees, std::int64_t tokens) {
    constexpr std::int64_t kBlock = 256, kMostCost = 16;
    const std::int64_t each = (tokens + degrees.tokens() - 1) / degrees.tokens();
    if (degrees.ring == 1) return each;
    const std::int64_t grain = kBlock / std::gcd(kBlock, std::int64_t{degrees.ulysses});
    const std::int64_t whole = (each + grain - 1) / grain * grain;
    return (whole - each) * kMostCost <= each ? whole : each;
}

}  // namespace

SequenceShard::SequenceShard(Mesh* mesh, std::int64_t tokens)
    : m_mesh(mesh),
      m_tokens(tokens),
      m_each(mesh != nullptr ? tokensOfEach(mesh->degrees(), tokens) : tokens),
      m_begin(mesh != nullptr ? mesh->tokens().rank() * m_each : 0) {}

std::int64_t SequenceShard::ranks() const {
    return m_mesh != nullptr ? m_mesh->degrees().tokens() : 1;
}

std::int64_t SequenceShard::tokensInRing(int place) const {
    const std::int64_t together = m_each * m_mesh->degrees().ulysses;
    return std::clamp<std::int64_t>(m_tokens - place * together, 0, together);
}

at::Tensor SequenceShard::part(const at::Tensor& x, std::int64_t dim) const {
    if (!isShared() || !x.defined()) return x;
    const std::int64_t begin = std::min(m_begin, m_tokens), real = std::min(m_each, m_tokens - begin);
    const at::Tensor mine = x.narrow(dim, begin, real);
    if (real == m_each) return mine.contiguous();
    auto shape = mine.sizes().vec();
    shape[static_cast<std::size_t>(dim)] = m_each - real;
    return at::cat({mine, at::zeros(shape, x.options())}, dim);
}

std::vector<std::int64_t> SequenceShard::runs(const std::vector<std::int64_t>& tokens) const {
    std::vector<std::int64_t> mine;
    std::int64_t begin = 0;
    for (const std::int64_t count : tokens) {
        const std::int64_t from = std::max(begin, m_begin), to = std::min(begin + count, m_begin + m_each);
        mine.push_back(std::max<std::int64_t>(to - from, 0));
        begin += count;
    }
    return mine;
}

at::Tensor SequenceShard::gather(const at::Tensor& x_BnC) const {
    if (!isShared()) return x_BnC;
    const at::Tensor all_RBnC = m_mesh->tokens().gather(x_BnC);
    return all_RBnC.transpose(0, 1)
        .reshape({x_BnC.size(0), ranks() * m_each, x_BnC.size(2)})
        .narrow(1, 0, m_tokens);
}

}  // namespace reelgrid::parallel
