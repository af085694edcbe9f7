#include "kernels/cpu/attention/call_plan.h"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/attention/method_options.h"
#include "kernels/attention/rotation_signs.h"
#include "kernels/cpu/attention/head_rows.h"

namespace reelgrid::kernels::cpu {
namespace {

MethodTraits traitsFor(Method method, const AttentionProblem& p) {
    MethodTraits traits = traitsOf(method, static_cast<int>(p.headDim));
    if (p.keySmoothing == KeySmoothing::None) traits.centresKeys = false;
    return traits;
}

/// The rotation of fav3_fp8 needs a power of two.
int paddedDimOf(const MethodTraits& traits, std::int64_t headDim, int grain) {
    const std::int64_t padded = ceilDiv(headDim, grain) * grain;
    return static_cast<int>(traits.rotates ? std::bit_ceil(static_cast<std::uint64_t>(padded)) : padded);
}

/// Waking a team costs more than the smallest problems.
int threadsFor(const AttentionProblem& p) {
    const double work = 4.0 * static_cast<double>(p.batch * p.queryHeads * p.queries) *
                        static_cast<double>(p.keys * p.headDim);
    if (work < 1e6) return 1;
    return p.threads > 0 ? p.threads : omp_get_max_threads();
}

/// Whether the kernels take whole heads of this problem. A sparse method has one block of keys then, which it
/// takes.
bool isShortSequence(const TileKernels& kernels, const MethodTraits& traits, const AttentionProblem& p) {
    return kernels.attendShort != nullptr && p.keys <= kShortTokens && p.queries <= kShortTokens &&
           p.headDim % 8 == 0 && !(traits.isSparse() && p.sparseLinear.projection != nullptr);
}

/// AMX's tiles multiply what sparge.pvthreshd would leave out; the usual value leaves out what is nothing in
/// any type, a smaller one takes AVX-512.
InstructionSet instructionSetFor(Method method, const AttentionProblem& p) {
    const InstructionSet selected = selectedInstructionSet();
    if (method != Method::Sparge || selected != InstructionSet::Amx) return selected;
    const auto leavesOut = [](const BlockPrediction& each) { return each.faint < BlockPrediction{}.faint; };
    return std::ranges::any_of(predictionsOf(p), leavesOut) ? InstructionSet::Avx512 : selected;
}

/// Memory that packed keys and values may take at once: several heads share a round of the thread team (fewer
/// barriers, better balance) while long sequences go head by head.
constexpr std::int64_t kPackedBytes = std::int64_t{64} << 20;
/// What is taken for the share of an L2 cache that one head may fill.
constexpr std::int64_t kL2Bytes = std::int64_t{1} << 20;
/// Heads a thread from which on it doesn't matter that the last thread ends later than the others.
constexpr std::int64_t kManyHeads = 8;

}  // namespace

CallPlan::CallPlan(Method method, const AttentionProblem& p)
    : problem(p),
      traits(traitsFor(method, p)),
      kernels(tileKernelsFor(instructionSetFor(method, p), method, p.type)),
      threads(threadsFor(p)),
      paddedDim(paddedDimOf(traits, p.headDim, kernels.dimGrain)),
      headsPerKeyHead(p.queryHeads / p.keyHeads),
      isShort(isShortSequence(kernels, traits, p)),
      blocks(ceilDiv(p.keys, kBlockKeys)),
      keyBlockUnits(std::int64_t{kBlockKeys} * paddedDim / kernels.dimsPerUnit),
      valueBlockUnits(std::int64_t{kBlockKeys} * paddedDim / kernels.keysPerUnit),
      spanQueries(traits.isSparse() ? std::min<std::int64_t>(traits.sparse.queries, p.queries) : p.queries),
      spans(ceilDiv(p.queries, spanQueries)) {
    const std::int64_t headBytes = blocks * (keyBlockUnits + valueBlockUnits) * 4;
    const std::int64_t keyHeads = p.batch * p.keyHeads;
    headByHead = headBytes <= kL2Bytes && keyHeads >= kManyHeads * threads;
    group = headByHead
                ? threads
                : std::clamp<std::int64_t>(kPackedBytes / std::max<std::int64_t>(headBytes, 1), 1, keyHeads);
    if (traits.rotates) {
        static const std::vector<float> kSigns = rotationSigns(kMaxHeadDim);
        signs = kSigns.data();
    }
    if (traits.scaleBlocks.keys > 0) {
        queryScales = ceilDiv(p.queries, traits.scaleBlocks.queries);
        keyScales = ceilDiv(p.keys, traits.scaleBlocks.keys);
        queryEntries = queryScales * (traits.hasClasses() ? traits.scaleBlocks.queries : 1);
        keyGrain = traits.hasClasses() ? 1 : kScaleGrain;
        keyGrains = (keyScales * traits.scaleBlocks.keys + kBlockKeys) / keyGrain;
    }
    // Tiles side by side pay once a head's keys and values leave the L2 cache. Full tiles are fastest per
    // query; shorter ones keep every thread busy when there are few queries.
    const std::int64_t lanes = kernels.lanes;
    const std::int64_t most = headBytes > kL2Bytes ? kernels.tileQueries : kernels.oneTileQueries;
    const std::int64_t tiles =
        std::max<std::int64_t>(ceilDiv(spanQueries, most),
                               ceilDiv(threads, std::max<std::int64_t>(1, p.batch * p.queryHeads * spans)));
    tileQueries =
        static_cast<int>(std::min<std::int64_t>(most, ceilDiv(ceilDiv(spanQueries, tiles), lanes) * lanes));
    spanTiles = ceilDiv(spanQueries, tileQueries);
}

}  // namespace reelgrid::kernels::cpu
