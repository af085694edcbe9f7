#include "core/capture/sparge_thresholds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/attention/kernel_call.h"
#include "core/base/number_text.h"
#include "core/capture/attention_weights.h"
#include "core/capture/kept_blocks.h"

namespace reelgrid::capture {
namespace {

constexpr const char* kSparge = "sparge";
constexpr std::array kSimilarities{0.3, 0.6};
constexpr std::array kShares{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98};
constexpr std::size_t kCandidates = kSimilarities.size() * kShares.size();
/// Queries whose exact output is computed at once: their weights are in memory.
constexpr std::int64_t kQueriesAtOnce = 1024;

SpargeThresholds candidate(std::size_t index) {
    return {kSimilarities[index / kShares.size()], kShares[index % kShares.size()]};
}

std::string thresholdText(double number) {
    return significant(number, 4);
}

/// What one candidate does to each head of the layer's calls.
struct Outcome {
    std::vector<double> kept;     ///< summed over the calls
    std::vector<double> worstL1;  ///< of the calls
};

at::Tensor exactOutput(const CapturedCall& call) {
    const std::int64_t together = call.q_BHND.size(1) / call.k_BHMD.size(1);
    at::Tensor out_BHND = at::empty(call.q_BHND.sizes(), at::kFloat);
    for (std::int64_t batch = 0; batch < out_BHND.size(0); ++batch)
        for (std::int64_t head = 0; head < out_BHND.size(1); ++head) {
            const at::Tensor k_MD = call.k_BHMD[batch][head / together].to(at::kFloat).contiguous();
            const at::Tensor v_MD = call.v_BHMD[batch][head / together].to(at::kFloat).contiguous();
            for (std::int64_t from = 0; from < out_BHND.size(2); from += kQueriesAtOnce) {
                const std::int64_t to = std::min(out_BHND.size(2), from + kQueriesAtOnce);
                const at::Tensor q_ND = call.q_BHND[batch][head].slice(0, from, to).to(at::kFloat);
                out_BHND[batch][head]
                    .slice(0, from, to)
                    .copy_(at::mm(attentionWeights(call, q_ND, k_MD, at::arange(from, to, at::kLong)), v_MD));
            }
        }
    return out_BHND;
}

/// Of each head over the batch.
std::vector<double> relativeL1(const at::Tensor& exact_BHND, const at::Tensor& out_BHND) {
    const std::array<std::int64_t, 3> within{0, 2, 3};
    const at::Tensor apart_H = (exact_BHND - out_BHND.to(at::kFloat)).abs().sum(within, false, at::kDouble);
    const at::Tensor whole_H = exact_BHND.abs().sum(within, false, at::kDouble);
    std::vector<double> errors;
    for (std::int64_t head = 0; head < whole_H.size(0); ++head) {
        const double whole = whole_H[head].item<double>(), apart = apart_H[head].item<double>();
        errors.push_back(whole > 0 ? apart / whole : apart);
    }
    return errors;
}

Result<void> tryOn(const CapturedCall& call, std::array<Outcome, kCandidates>& outcomes) {
    const kernels::BackendInfo& sparge = *kernels::findBackend(kSparge);
    const std::int64_t heads = call.q_BHND.size(1);
    const attention::Inputs inputs{call.q_BHND, call.k_BHMD, call.v_BHMD, call.keyBias_M, {}, {}, {}, {}, {}};
    const at::Tensor exact_BHND = exactOutput(call);
    for (std::size_t index = 0; index < kCandidates; ++index) {
        const SpargeThresholds tried = candidate(index);
        auto options =
            attention::BackendOptions::create({"sparge.simthreshd1=" + thresholdText(tried.similarity),
                                               "sparge.cdfthreshd=" + thresholdText(tried.cdf)});
        const SparseChoice choice{.backend = &sparge, .options = *std::move(options)};
        const auto kept = keptSharesOf(call, choice);
        if (!kept) return kept.error();
        attention::CallOptions asked;
        asked.context.options = choice.options.of(kSparge);
        const attention::KernelCall kernel(sparge, inputs, {}, asked);
        if (kernel.whyNot())
            return Error{ErrorCode::Unsupported, call.file.string() + ": " + *kernel.whyNot()};
        const std::vector<double> errors = relativeL1(exact_BHND, kernel.run());
        Outcome& outcome = outcomes[index];
        outcome.kept.resize(static_cast<std::size_t>(heads));
        outcome.worstL1.resize(static_cast<std::size_t>(heads));
        for (std::size_t head = 0; head < errors.size(); ++head) {
            for (std::size_t entry = head; entry < kept->ofHead.size(); entry += errors.size())
                outcome.kept[head] += kept->ofHead[entry] / double(call.q_BHND.size(0));
            // A NaN is no good either, and stays.
            double& worst = outcome.worstL1[head];
            if (!std::isnan(worst) && !(errors[head] <= worst)) worst = errors[head];
        }
    }
    return {};
}

/// The candidate that keeps least of those which are good enough for all of these heads.
std::optional<std::size_t> bestFor(const std::array<Outcome, kCandidates>& outcomes,
                                   const std::vector<std::size_t>& heads, double mostL1) {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t index = 0; index < kCandidates; ++index) {
        const Outcome& outcome = outcomes[index];
        double kept = 0;
        bool isGood = true;
        for (const std::size_t head : heads) {
            kept += outcome.kept[head];
            isGood = isGood && outcome.worstL1[head] <= mostL1;
        }
        if (!isGood || (best && kept >= least)) continue;
        best = index;
        least = kept;
    }
    return best;
}

LayerThresholds chosenFrom(int layer, const std::array<Outcome, kCandidates>& outcomes, std::size_t calls,
                           double mostL1, ThresholdsFor whom) {
    const std::size_t heads = outcomes[0].kept.size();
    std::vector<std::vector<std::size_t>> groups;
    if (whom == ThresholdsFor::EachHead) {
        for (std::size_t head = 0; head < heads; ++head) groups.push_back({head});
    } else {
        groups.emplace_back(heads);
        std::iota(groups[0].begin(), groups[0].end(), std::size_t{0});
    }
    LayerThresholds found{.layer = layer, .ofHead = {}, .keptShare = 0, .relativeL1 = 0};
    found.ofHead.resize(heads);
    for (const auto& group : groups) {
        const auto best = bestFor(outcomes, group, mostL1);
        for (const std::size_t head : group) {
            if (best) found.ofHead[head] = candidate(*best);
            found.keptShare += (best ? outcomes[*best].kept[head] / double(calls) : 1) / double(heads);
            if (best) found.relativeL1 = std::max(found.relativeL1, outcomes[*best].worstL1[head]);
        }
    }
    return found;
}

}  // namespace

Result<std::vector<LayerThresholds>> tuneSparge(const std::vector<std::filesystem::path>& files,
                                                double mostL1, ThresholdsFor whom,
                                                const std::function<bool(int done, int total)>& goesOn) {
    if (!(mostL1 > 0) || !std::isfinite(mostL1))
        return Error{ErrorCode::BadUsage,
                     "relative L1 " + significant(mostL1, 4) + ": a finite number above 0 was needed"};
    struct Layer {
        std::array<Outcome, kCandidates> outcomes;
        std::size_t calls = 0;
        std::int64_t heads = 0;
    };
    std::map<int, Layer> layers;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!goesOn(int(i), int(files.size()))) return Error{ErrorCode::Cancelled, "cancelled"};
        const auto call = readCapture(files[i]);
        if (!call) return call.error();
        if (!call->layer)
            return Error{ErrorCode::Unsupported,
                         files[i].string() + ": a capture that says its layer was needed"};
        Layer& layer = layers[*call->layer];
        if (layer.calls > 0 && layer.heads != call->q_BHND.size(1))
            return Error{ErrorCode::Unsupported,
                         files[i].string() + ": " + std::to_string(call->q_BHND.size(1)) + " heads, the " +
                             std::to_string(layer.heads) + " of the layer's other calls were needed"};
        layer.heads = call->q_BHND.size(1);
        ++layer.calls;
        if (auto tried = tryOn(*call, layer.outcomes); !tried) return tried.error();
    }
    std::vector<LayerThresholds> found;
    for (const auto& [index, layer] : layers)
        found.push_back(chosenFrom(index, layer.outcomes, layer.calls, mostL1, whom));
    return found;
}

std::vector<std::string> backendOptionsOf(const std::vector<LayerThresholds>& layers) {
    std::vector<std::string> options;
    for (const LayerThresholds& layer : layers)
        for (const auto& [key, threshold] : {std::pair{"simthreshd1", &SpargeThresholds::similarity},
                                             {"cdfthreshd", &SpargeThresholds::cdf}}) {
            const auto same = [&](const SpargeThresholds& each) {
                return each.*threshold == layer.ofHead.front().*threshold;
            };
            std::string values;
            for (const SpargeThresholds& each : layer.ofHead) {
                if (!values.empty()) values += ",";
                values += thresholdText(each.*threshold);
                if (std::ranges::all_of(layer.ofHead, same)) break;
            }
            options.push_back(std::string("sparge.") + key + "@" + std::to_string(layer.layer) + "=" +
                              values);
        }
    return options;
}

}  // namespace reelgrid::capture
