#include "core/attention/layer_context.h"

// Shape legend: B batch, H heads, U ranks of Ulysses, h = H/U heads of one rank, n tokens of one rank, N =
// U·n of all of them, D head dim.

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace reelgrid::attention {
namespace {

using execution::Part;
using parallel::Exchange;
using parallel::SequenceShard;

/// x_BHnD, whose ranks r get heads [r·h, (r + 1)·h): → [U, B, n, h, D] to be exchanged.
at::Tensor byHeads(const at::Tensor& x_BHnD, std::int64_t ranks) {
    return x_BHnD.unflatten(1, {ranks, -1}).permute({1, 0, 3, 2, 4});
}

/// What came, [U, B, n, h, D], as tokens in their order, those behind the last one left out: [B, h, N, D].
at::Tensor tokensOf(const at::Tensor& x_UBnhD, std::int64_t tokens) {
    const at::Tensor x_BNhD = x_UBnhD.transpose(0, 1).flatten(1, 2);
    return x_BNhD.narrow(1, 0, tokens).transpose(1, 2);
}

/// x_BhMD with zeros behind its tokens, so that all ranks of a ring hand on as many: [B, M, h, D].
at::Tensor filledUp(const at::Tensor& x_BhMD, const SequenceShard& shard) {
    const std::int64_t missing = shard.each() * shard.mesh().ulysses().ranks() - x_BhMD.size(2);
    if (missing == 0) return x_BhMD.transpose(1, 2);
    return at::constant_pad_nd(x_BhMD.transpose(1, 2), {0, 0, 0, 0, 0, missing});
}

/// The way back: out_BhND, all tokens of this rank's heads → [B, n, H, D], this rank's tokens of all heads.
at::Tensor backToTokens(const at::Tensor& out_BhND, const SequenceShard& shard, std::int64_t ranks) {
    at::Tensor out_BNhD = out_BhND.transpose(1, 2);
    if (const std::int64_t missing = ranks * shard.each() - out_BNhD.size(1); missing > 0)
        out_BNhD = at::cat(
            {out_BNhD,
             at::zeros({out_BNhD.size(0), missing, out_BNhD.size(2), out_BNhD.size(3)}, out_BNhD.options())},
            1);
    if (ranks == 1) return out_BNhD;
    const at::Tensor x_UBnhD = out_BNhD.unflatten(1, {ranks, -1}).transpose(0, 1);
    return shard.mesh().ulysses().allToAll(x_UBnhD).permute({1, 2, 0, 3, 4}).flatten(2, 3);
}

}  // namespace

at::Tensor LayerContext::attendShared(const Inputs& inputs, const CallSite& site) const {
    Inputs ofHeads = inputs;
    ofHeads.grid = grid;
    if (shard == nullptr || !shard->isShared()) return dispatcher.attend(ofHeads, site);
    parallel::Communicator& ulysses = shard->mesh().ulysses();
    const std::int64_t ranks = ulysses.ranks();
    const std::int64_t tokens = shard->tokensInRing(shard->mesh().ring().rank());
    if (ranks == 1) {
        for (at::Tensor* x : {&ofHeads.q_BHND, &ofHeads.k_BHMD, &ofHeads.v_BHMD})
            *x = x->narrow(2, 0, tokens);
    } else {
        const auto communication = during(Part::Communication);
        std::vector<Exchange> exchanges;
        for (at::Tensor* x : {&ofHeads.q_BHND, &ofHeads.k_BHMD, &ofHeads.v_BHMD})
            exchanges.push_back(ulysses.startAllToAll(byHeads(*x, ranks)));
        std::size_t next = 0;
        for (at::Tensor* x : {&ofHeads.q_BHND, &ofHeads.k_BHMD, &ofHeads.v_BHMD})
            *x = tokensOf(exchanges[next++].received(), tokens);
    }
    const at::Tensor out_BhND =
        shard->mesh().ring().ranks() == 1 ? dispatcher.attend(ofHeads, site) : attendInRing(ofHeads, site);
    const auto communication = during(Part::Communication);
    return backToTokens(out_BhND, *shard, ranks).transpose(1, 2);
}

TokenGrid LayerContext::gridOfQueries() const {
    if (shard != nullptr && shard->isShared()) return {};
    TokenGrid ofClip = grid;
    ofClip.textBefore = ofClip.textAfter = 0;
    return ofClip;
}

/// With what the call's backend would find out over all ranks' keys and values. Sums go from rank to rank in
/// fp32 and are added in fp64 in the order of the tokens, so that all ranks centre by the same bits.
Inputs LayerContext::withStatistics(Inputs mine, const CallSite& site) const {
    const SequenceNeeds needs = dispatcher.needsOfSequence(site);
    if (!needs.any()) return mine;
    const auto communication = during(Part::Communication);
    parallel::Communicator& ring = shard->mesh().ring();
    const at::Tensor &k = mine.k_BHMD, &v = mine.v_BHMD;
    std::int64_t tokens = 0;
    for (int place = 0; place < ring.ranks(); ++place) tokens += shard->tokensInRing(place);
    const at::Tensor sums_BHD = at::sum(k, {2}, /*keepdim=*/false, at::kFloat);
    const at::Tensor maxima_BHD =
        v.size(2) == 0 || !needs.valueMaxima
            ? at::zeros_like(sums_BHD)
            : at::linalg_vector_norm(v, std::numeric_limits<double>::infinity(), at::IntArrayRef{2},
                                     /*keepdim=*/false, at::kFloat);
    const at::Tensor here_2BHD = at::stack({sums_BHD, maxima_BHD});
    auto shape = here_2BHD.sizes().vec();
    shape.insert(shape.begin(), ring.ranks());
    const at::Tensor all_R2BHD =
        ring.startGather(here_2BHD, at::empty(shape, here_2BHD.options())).received();
    if (needs.keyMean)
        mine.keyMean_BHD = all_R2BHD.select(1, 0).to(at::kDouble).sum(0).div_(double(tokens)).to(at::kFloat);
    if (needs.valueMaxima) mine.valueMaxima_BHD = all_R2BHD.select(1, 1).amax(0);
    return mine;
}

/// Keys and values of all ranks come by, one's after another's, each while the one before is computed.
at::Tensor LayerContext::attendInRing(const Inputs& alone, const CallSite& site) const {
    parallel::Communicator& ring = shard->mesh().ring();
    const int ranks = ring.ranks();
    const Inputs mine = withStatistics(alone, site);
    at::Tensor kv_2BMhD = at::stack({filledUp(mine.k_BHMD, *shard), filledUp(mine.v_BHMD, *shard)});
    std::optional<Exchange> coming;
    int part = 0;
    const auto next = [&]() -> std::optional<Inputs> {
        while (part < ranks) {
            if (coming) {
                const auto communication = during(Part::Communication);
                kv_2BMhD = coming->received();
                coming.reset();
            }
            const std::int64_t keys = shard->tokensInRing((ring.rank() - part + ranks) % ranks);
            if (++part < ranks) coming.emplace(ring.startPass(kv_2BMhD));
            if (keys == 0) continue;  // more ranks than tokens
            Inputs inputs = mine;
            inputs.grid = {};  // a part of the keys has no grid
            inputs.k_BHMD = kv_2BMhD[0].narrow(1, 0, keys).transpose(1, 2);
            inputs.v_BHMD = kv_2BMhD[1].narrow(1, 0, keys).transpose(1, 2);
            return inputs;
        }
        return std::nullopt;
    };
    if (mine.q_BHND.size(2) > 0) return dispatcher.attendInParts(next, site);
    while (next()) {
    }
    return mine.q_BHND;
}

at::Tensor LayerContext::gather(const at::Tensor& x_BnC) const {
    if (shard == nullptr) return x_BnC;
    const auto communication = during(Part::Communication);
    return shard->gather(x_BnC);
}

}  // namespace reelgrid::attention
