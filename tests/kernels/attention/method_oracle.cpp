#include "tests/kernels/attention/method_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "kernels/attention/rotation_signs.h"
#include "tests/kernels/attention/reference.h"

namespace reelgrid::kernels::test {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

using Row = std::vector<double>;
using Rows = std::vector<Row>;

Rows rowsOf(const AttentionProblem& p, const void* data, const Strides& s, std::int64_t b, std::int64_t h,
            std::int64_t tokens) {
    Rows rows(static_cast<std::size_t>(tokens));
    for (std::int64_t n = 0; n < tokens; ++n)
        for (std::int64_t d = 0; d < p.headDim; ++d)
            rows[static_cast<std::size_t>(n)].push_back(
                elementAt(p.type, data, b * s.batch + h * s.head + n * s.token + d));
    return rows;
}

double dot(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Row meanOf(const Rows& rows, std::size_t first, std::size_t end) {
    Row mean(rows.front().size(), 0.0);
    for (std::size_t n = first; n < end; ++n)
        for (std::size_t d = 0; d < mean.size(); ++d)
            mean[d] += rows[n][d] / static_cast<double>(end - first);
    return mean;
}

/// In fp32, as the methods do: quantised values hang on the last bit of what they are made of.
void subtract(Rows& rows, const Row& mean) {
    for (auto& row : rows)
        for (std::size_t d = 0; d < mean.size(); ++d)
            row[d] = static_cast<double>(static_cast<float>(row[d]) - static_cast<float>(mean[d]));
}

/// Signs, then the Sylvester-Hadamard matrix, entry by entry: √size longer than a rotation.
void rotate(Rows& rows) {
    std::size_t size = 16;
    while (size < rows.front().size()) size *= 2;
    const auto signs = rotationSigns(size);
    for (auto& row : rows) {
        Row turned(size, 0.0);
        for (std::size_t out = 0; out < size; ++out)
            for (std::size_t in = 0; in < row.size(); ++in)
                turned[out] += (__builtin_popcountll(out & in) % 2 == 0 ? 1 : -1) *
                               static_cast<double>(signs[in]) * row[in];
        row = std::move(turned);
    }
}

double quantise(double x, float scale, Quantisation::Scores to) {
    if (scale == 0) return 0;
    const auto units = static_cast<double>(static_cast<float>(x) / scale);
    return (to == Quantisation::Scores::Int8 ? std::round(units) : roundToE4m3(units)) *
           static_cast<double>(scale);
}

/// Row n of a block shares its scale with those of which n % 8 · classes / 8 is the same.
void quantiseBlocks(Rows& rows, int blockRows, int classes, Quantisation::Scores to) {
    const float top = to == Quantisation::Scores::Int8 ? 127.0F : 448.0F;
    const std::size_t block = blockRows == 0 ? rows.size() : static_cast<std::size_t>(blockRows);
    const auto classOf = [classes](std::size_t n) { return n % 8 * static_cast<std::size_t>(classes) / 8; };
    for (std::size_t first = 0; first < rows.size(); first += block) {
        const std::size_t end = std::min(rows.size(), first + block);
        std::vector<double> most(static_cast<std::size_t>(classes), 0.0);
        for (std::size_t n = first; n < end; ++n)
            for (const double x : rows[n]) most[classOf(n)] = std::max(most[classOf(n)], std::abs(x));
        for (std::size_t n = first; n < end; ++n)
            for (double& x : rows[n]) x = quantise(x, static_cast<float>(most[classOf(n)]) / top, to);
    }
}

void quantiseValues(Rows& rows, Quantisation::Values how, float largest) {
    Row most(rows.front().size(), 0.0);
    for (const auto& row : rows)
        for (std::size_t d = 0; d < row.size(); ++d) most[d] = std::max(most[d], std::abs(row[d]));
    if (how == Quantisation::Values::PerHead)
        std::fill(most.begin(), most.end(), *std::max_element(most.begin(), most.end()));
    for (auto& row : rows)
        for (std::size_t d = 0; d < row.size(); ++d)
            row[d] = quantise(row[d], static_cast<float>(most[d]) / largest, Quantisation::Scores::E4m3);
}

/// Integers are made of Q · scale · log2(e), in fp32.
void scaleQueries(Rows& rows, float scale) {
    const float factor = scale * 1.44269504088896340736F;
    for (auto& row : rows)
        for (double& x : row) x = static_cast<double>(static_cast<float>(x) * factor);
}

/// One row of the online softmax over `scores`, block by block as the method walks them.
Row softmaxTimes(const Row& scores, const Rows& values, const Quantisation& method) {
    const auto turn = static_cast<std::size_t>(method.turnKeys);
    const std::size_t turns = (scores.size() + turn - 1) / turn;
    Row out(values.front().size(), 0.0);
    double largest = kMinusInfinity;
    double sum = 0;
    for (std::size_t t = 0; t < turns; ++t) {
        const std::size_t first = (method.lastFirst ? turns - 1 - t : t) * turn;
        const std::size_t end = std::min(scores.size(), first + turn);
        const double raised =
            std::max(largest, *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(first),
                                                scores.begin() + static_cast<std::ptrdiff_t>(end)));
        const double rescale = largest == raised ? 1 : std::exp(largest - raised);
        for (double& x : out) x *= rescale;
        sum *= rescale;
        largest = raised;
        for (std::size_t j = first; j < end; ++j) {
            const double weight = std::exp(scores[j] - largest) * std::exp2(method.weightOffset);
            const double rounded = method.roundWeights ? roundToE4m3(weight) : weight;
            sum += weight;
            for (std::size_t d = 0; d < out.size(); ++d) out[d] += rounded * values[j][d];
        }
    }
    for (double& x : out) x = sum == 0 ? 0 : x / sum;
    return out;
}

Row softmax(Row x) {
    const double most = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (double& e : x) sum += e = std::exp(e - most);
    for (double& e : x) e /= sum;
    return x;
}

/// upstream's get_block_map for one block of queries.
std::vector<std::size_t> chosenKeys(const Row& meanQuery, const Rows& meanKeys, double ratio,
                                    std::size_t keys, std::size_t blockKeys) {
    std::vector<std::size_t> blocks(meanKeys.size());
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    Row scores;
    for (const Row& key : meanKeys) scores.push_back(dot(meanQuery, key));
    std::stable_sort(blocks.begin(), blocks.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    blocks.resize(
        std::max<std::size_t>(1, static_cast<std::size_t>(ratio * static_cast<double>(meanKeys.size()))));
    std::sort(blocks.begin(), blocks.end());
    std::vector<std::size_t> chosen;
    for (const std::size_t block : blocks)
        for (std::size_t j = block * blockKeys; j < std::min(keys, (block + 1) * blockKeys); ++j)
            chosen.push_back(j);
    return chosen;
}

struct LinearSums {
    Rows products;  ///< φ(k)ᵀ v: [D of k][D of v]
    Row features;   ///< Σ φ(k)
};

LinearSums linearSums(const Rows& k, const Rows& v) {
    const std::size_t dim = k.front().size();
    LinearSums sums{Rows(dim, Row(dim, 0.0)), Row(dim, 0.0)};
    for (std::size_t n = 0; n < k.size(); ++n) {
        const Row feature = softmax(k[n]);
        for (std::size_t i = 0; i < dim; ++i) {
            sums.features[i] += feature[i];
            for (std::size_t j = 0; j < dim; ++j) sums.products[i][j] += feature[i] * v[n][j];
        }
    }
    return sums;
}

void addLinear(const SparseLinear& linear, const LinearSums& sums, const Row& query, Row& out) {
    const std::size_t dim = query.size();
    const Row feature = softmax(query);
    const double total = 1e-5 + dot(feature, sums.features);
    Row branch(dim, 0.0);
    for (std::size_t i = 0; i < dim; ++i)
        for (std::size_t j = 0; j < dim; ++j) branch[j] += feature[i] * sums.products[i][j] / total;
    for (std::size_t i = 0; i < dim; ++i) {
        if (linear.bias != nullptr) out[i] += static_cast<double>(linear.bias[i]);
        for (std::size_t j = 0; j < dim; ++j)
            out[i] += static_cast<double>(linear.projection[i * dim + j]) * branch[j];
    }
}

Quantisation sageV1() {
    Quantisation method;
    method.scores = Quantisation::Scores::Int8;
    method.scaleQueries = 128;
    method.scaleKeys = 64;
    method.centreKeys = true;
    return method;
}

Quantisation sageV2() {
    Quantisation method;
    method.scores = Quantisation::Scores::Int8;
    method.scaleQueries = 32;
    method.scaleKeys = 64;
    method.queryClasses = 8;
    method.keyClasses = 4;
    method.centreKeys = true;
    method.values = Quantisation::Values::PerChannel;
    method.roundWeights = true;
    method.weightOffset = static_cast<double>(8.807F);
    return method;
}

Quantisation fav3Sage() {
    Quantisation method;
    method.scores = Quantisation::Scores::Int8;
    method.scaleQueries = 256;
    method.scaleKeys = 128;
    method.centreKeys = true;
    method.values = Quantisation::Values::PerChannel;
    method.roundWeights = true;
    return method;
}

Quantisation fav3Fp8(int headDim) {
    Quantisation method;
    method.scores = Quantisation::Scores::E4m3;
    method.scaleQueries = headDim <= 64 ? 192 : 128;
    method.scaleKeys = headDim <= 64 ? 160 : 224;
    method.rotate = true;
    method.values = Quantisation::Values::PerHead;
    method.roundWeights = true;
    method.weightOffset = 8;
    method.turnKeys = 192;
    method.lastFirst = true;
    return method;
}

Quantisation sageSla() {
    Quantisation method;
    method.scores = Quantisation::Scores::Int8;
    method.scaleQueries = 64;
    method.scaleKeys = 128;
    method.centreKeys = true;
    method.values = Quantisation::Values::PerChannel;
    method.largestValue = 2.25F;
    method.roundWeights = true;
    method.weightOffset = static_cast<double>(8.807F);
    return method;
}

}  // namespace

double roundToE4m3(double x) {
    const double magnitude = std::abs(x);
    if (!(magnitude > 0)) return x;
    const int exponent = std::max(-6, std::ilogb(magnitude));
    const double grain = std::ldexp(1.0, exponent - 3);
    return std::copysign(std::min(448.0, std::nearbyint(magnitude / grain) * grain), x);
}

Quantisation quantisationOf(Method method, int headDim) {
    switch (method) {
        case Method::Sage1:
            return sageV1();
        case Method::Sage2:
            return sageV2();
        case Method::Flash3Sage:
            return fav3Sage();
        case Method::Flash3Fp8:
            return fav3Fp8(headDim);
        case Method::Flash:
        case Method::Flash3:
        case Method::SageSparseLinear:
            return sageSla();
        case Method::SparseLinear:
        case Method::Sparge:
        case Method::SlidingTile:
        case Method::Radial:
            break;
    }
    return {};
}

std::vector<double> quantisedAttention(const AttentionProblem& p, const Quantisation& method) {
    std::vector<double> out;
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const std::int64_t keyHead = h / (p.queryHeads / p.keyHeads);
            Rows q = rowsOf(p, p.q, p.qStrides, b, h, p.queries);
            Rows k = rowsOf(p, p.k, p.kStrides, b, keyHead, p.keys);
            Rows v = rowsOf(p, p.v, p.vStrides, b, keyHead, p.keys);
            if (method.centreKeys) subtract(k, meanOf(k, 0, k.size()));
            if (method.rotate) {
                rotate(q);
                rotate(k);
            }
            double scale = static_cast<double>(p.scale);
            if (method.rotate) scale /= static_cast<double>(k.front().size());
            if (method.scores == Quantisation::Scores::Int8) {
                scaleQueries(q, p.scale);
                scale = std::log(2.0);
            }
            if (method.scores != Quantisation::Scores::Exact) {
                quantiseBlocks(q, method.scaleQueries, method.queryClasses, method.scores);
                quantiseBlocks(k, method.scaleKeys, method.keyClasses, method.scores);
            }
            if (method.values != Quantisation::Values::Exact)
                quantiseValues(v, method.values, method.largestValue);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                const std::int64_t seen =
                    p.mask == Mask::Causal ? std::min(p.keys, i + p.keys - p.queries + 1) : p.keys;
                Row scores;
                for (std::int64_t j = 0; j < seen; ++j)
                    scores.push_back(dot(q[static_cast<std::size_t>(i)], k[static_cast<std::size_t>(j)]) *
                                         scale +
                                     (p.keyBias == nullptr ? 0 : static_cast<double>(p.keyBias[j])));
                const Row row = scores.empty() ? Row(static_cast<std::size_t>(p.headDim), 0.0)
                                               : softmaxTimes(scores, v, method);
                out.insert(out.end(), row.begin(), row.end());
            }
        }
    return out;
}

namespace {

/// sla over such blocks, its sparse part quantised by `method`.
std::vector<double> sparseAttention(const AttentionProblem& p, std::size_t blockQueries,
                                    std::size_t blockKeys, const Quantisation& method) {
    std::vector<double> out;
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const std::int64_t keyHead = h / (p.queryHeads / p.keyHeads);
            const Rows q = rowsOf(p, p.q, p.qStrides, b, h, p.queries);
            const Rows k = rowsOf(p, p.k, p.kStrides, b, keyHead, p.keys);
            const Rows v = rowsOf(p, p.v, p.vStrides, b, keyHead, p.keys);
            Rows centred = k;
            subtract(centred, meanOf(k, 0, k.size()));
            Rows meanKeys;
            for (std::size_t first = 0; first < k.size(); first += blockKeys)
                meanKeys.push_back(meanOf(centred, first, std::min(k.size(), first + blockKeys)));
            Rows scoredQ = q, scoredK = method.centreKeys ? centred : k, multiplied = v;
            double scale = static_cast<double>(p.scale);
            if (method.scores == Quantisation::Scores::Int8) {
                scaleQueries(scoredQ, p.scale);
                scale = std::log(2.0);
                quantiseBlocks(scoredQ, method.scaleQueries, 1, method.scores);
                quantiseBlocks(scoredK, method.scaleKeys, 1, method.scores);
                if (method.values != Quantisation::Values::Exact)
                    quantiseValues(multiplied, method.values, method.largestValue);
            }
            const bool linear = p.sparseLinear.projection != nullptr;
            const LinearSums sums = linear ? linearSums(k, v) : LinearSums{};
            for (std::size_t first = 0; first < q.size(); first += blockQueries) {
                const std::size_t end = std::min(q.size(), first + blockQueries);
                const auto chosen = chosenKeys(meanOf(q, first, end), meanKeys, p.sparseLinear.topkRatio,
                                               k.size(), blockKeys);
                Rows values;
                for (const std::size_t j : chosen) values.push_back(multiplied[j]);
                for (std::size_t i = first; i < end; ++i) {
                    Row scores;
                    for (const std::size_t j : chosen) scores.push_back(dot(scoredQ[i], scoredK[j]) * scale);
                    Row row = softmaxTimes(scores, values, method);
                    if (linear) addLinear(p.sparseLinear, sums, q[i], row);
                    out.insert(out.end(), row.begin(), row.end());
                }
            }
        }
    return out;
}

}  // namespace

std::vector<double> sparseLinearAttention(const AttentionProblem& p) {
    return sparseAttention(p, 128, 64, Quantisation{});
}

std::vector<double> sageSparseLinearAttention(const AttentionProblem& p, const Quantisation& method,
                                              const SparseBlocks& blocks) {
    return sparseAttention(p, static_cast<std::size_t>(blocks.queries), static_cast<std::size_t>(blocks.keys),
                           method);
}

namespace {

/// Mean cosine of all pairs of rows, each with itself, too.
double similarityOf(const Rows& rows, std::size_t first, std::size_t end) {
    Row sum(rows.front().size(), 0.0);
    for (std::size_t n = first; n < end; ++n) {
        const double length = std::sqrt(dot(rows[n], rows[n]));
        for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += length == 0 ? 0 : rows[n][d] / length;
    }
    const auto count = static_cast<double>(end - first);
    return dot(sum, sum) / (count * count);
}

/// Which blocks a block of queries attends to.
std::vector<bool> predictedBlocks(const Row& meanQuery, bool areQueriesAlike, const Rows& meanKeys,
                                  const std::vector<bool>& areKeysAlike, double scale, double cdf) {
    std::vector<bool> kept(meanKeys.size());
    std::vector<std::pair<double, std::size_t>> alike;
    for (std::size_t block = 0; block < kept.size(); ++block) {
        kept[block] = !areQueriesAlike || !areKeysAlike[block];
        if (areKeysAlike[block]) alike.emplace_back(-scale * dot(meanQuery, meanKeys[block]), block);
    }
    std::sort(alike.begin(), alike.end());
    double total = 0, sum = 0;
    for (const auto& [score, block] : alike) total += std::exp(alike.front().first - score);
    for (std::size_t i = 0; i < alike.size(); ++i) {
        sum += std::exp(alike.front().first - alike[i].first) / total;
        if (i == 0 || sum <= cdf) kept[alike[i].second] = true;
    }
    return kept;
}

}  // namespace

PredictedAttention predictedAttention(const AttentionProblem& p) {
    constexpr std::size_t kQueries = 128, kKeys = 64;
    PredictedAttention result;
    std::size_t kept = 0, seen = 0;
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const std::int64_t keyHead = h / (p.queryHeads / p.keyHeads);
            const Rows q = rowsOf(p, p.q, p.qStrides, b, h, p.queries);
            const Rows k = rowsOf(p, p.k, p.kStrides, b, keyHead, p.keys);
            const Rows v = rowsOf(p, p.v, p.vStrides, b, keyHead, p.keys);
            Rows centred = k, meanKeys;
            subtract(centred, meanOf(k, 0, k.size()));
            std::vector<bool> areKeysAlike;
            for (std::size_t first = 0; first < k.size(); first += kKeys) {
                const std::size_t end = std::min(k.size(), first + kKeys);
                meanKeys.push_back(meanOf(centred, first, end));
                areKeysAlike.push_back(similarityOf(centred, first, end) > p.prediction.similarity);
            }
            for (std::size_t first = 0; first < q.size(); first += kQueries) {
                const std::size_t end = std::min(q.size(), first + kQueries);
                const auto blocks = predictedBlocks(
                    meanOf(q, first, end), similarityOf(q, first, end) > p.prediction.similarity, meanKeys,
                    areKeysAlike, static_cast<double>(p.scale), p.prediction.cdf);
                Rows keys, values;
                for (std::size_t j = 0; j < k.size(); ++j) {
                    if (!blocks[j / kKeys]) continue;
                    keys.push_back(k[j]);
                    values.push_back(v[j]);
                }
                kept += static_cast<std::size_t>(std::count(blocks.begin(), blocks.end(), true));
                seen += blocks.size();
                for (std::size_t i = first; i < end; ++i) {
                    Row scores;
                    for (const Row& key : keys)
                        scores.push_back(dot(q[i], key) * static_cast<double>(p.scale));
                    const Row row = softmaxTimes(scores, values, Quantisation{});
                    result.out.insert(result.out.end(), row.begin(), row.end());
                }
            }
        }
    result.keptShare = static_cast<double>(kept) / static_cast<double>(seen);
    return result;
}

}  // namespace reelgrid::kernels::test
