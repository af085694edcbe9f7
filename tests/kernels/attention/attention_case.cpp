#include "tests/kernels/attention/attention_case.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/attention/half_types.h"

namespace reelgrid::kernels::test {
namespace {

constexpr std::uint8_t kGuard = 0xFF;  // 0xFFFF… is a NaN in every type
constexpr std::size_t kGuardBytes = 1024;

void setElement(DataType type, std::vector<std::uint8_t>& data, std::int64_t index, float value) {
    std::uint8_t* at = data.data() + index * sizeOf(type);
    const std::uint16_t half = type == DataType::BFloat16 ? bf16FromFloat(value) : fp16FromFloat(value);
    if (type == DataType::Float32)
        std::memcpy(at, &value, 4);
    else
        std::memcpy(at, &half, 2);
}

float rounded(DataType type, float value) {
    if (type == DataType::BFloat16) return floatFromBf16(bf16FromFloat(value));
    if (type == DataType::Float16) return floatFromFp16(fp16FromFloat(value));
    return value;
}

Strides stridesOf(Layout layout, std::int64_t heads, std::int64_t tokens, std::int64_t dim) {
    if (layout == Layout::HeadsFirst) return {heads * tokens * dim, tokens * dim, dim};
    return {tokens * heads * dim, dim, heads * dim};
}

enum class Role { Query, Key, Value };

void fill(std::vector<std::uint8_t>& data, const Strides& s, DataType type, Family family, Role role,
          std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t dim, unsigned seed) {
    data.assign(static_cast<std::size_t>(batch * heads * tokens * dim * sizeOf(type)), 0);
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> channelScale(static_cast<std::size_t>(dim), 1.0F);
    std::vector<float> channelBias(static_cast<std::size_t>(dim), 0.0F);
    for (std::size_t d = 0; d < channelScale.size(); ++d) {
        if (family == Family::OutlierChannels) {
            channelScale[d] = std::exp(0.5F * normal(generator));
            if (role == Role::Value && d % 16 == 3) channelScale[d] *= 4;
        }
        if (family == Family::KeyBias && role == Role::Key) channelBias[d] = 16 * normal(generator);
    }
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t n = 0; n < tokens; ++n)
                for (std::int64_t d = 0; d < dim; ++d) {
                    const auto channel = static_cast<std::size_t>(d);
                    float x = normal(generator) * channelScale[channel] + channelBias[channel];
                    if (family == Family::Sink && role != Role::Value) {
                        if (role == Role::Query) x = 0.5F * x + 1;
                        if (role == Role::Key && n < 4) x = 0.5F * x + 2;
                    }
                    if (family == Family::Outliers) {
                        const float outlier = 10 * normal(generator);
                        if (generator() % 1000 == 0) x += outlier;
                    }
                    if (family == Family::Zeros) x = 0;
                    if (family == Family::Underflow) x *= type == DataType::Float16 ? 1e-6F : 1e-30F;
                    setElement(type, data, b * s.batch + h * s.head + n * s.token + d, x);
                }
}

}  // namespace

const char* nameOf(Family family) {
    switch (family) {
        case Family::Normal:
            return "normal";
        case Family::OutlierChannels:
            return "outlier channels";
        case Family::KeyBias:
            return "key bias";
        case Family::Sink:
            return "sink";
        case Family::Zeros:
            return "zeros";
        case Family::Underflow:
            return "underflow";
        case Family::Outliers:
            return "outliers";
    }
    return "unknown";
}

AttentionCase::AttentionCase(const Shape& shape, DataType type, Family inputFamily, Layout layout, Mask mask,
                             unsigned seed)
    : family(inputFamily) {
    problem.type = type;
    problem.batch = shape.batch;
    problem.queryHeads = shape.queryHeads;
    problem.keyHeads = shape.keyHeads;
    problem.queries = shape.queries;
    problem.keys = shape.keys;
    problem.headDim = shape.headDim;
    problem.scale = 1 / std::sqrt(static_cast<float>(shape.headDim));
    problem.mask = mask;
    problem.threads = 2;
    problem.qStrides = stridesOf(layout, shape.queryHeads, shape.queries, shape.headDim);
    problem.outStrides = problem.qStrides;
    problem.kStrides = stridesOf(layout, shape.keyHeads, shape.keys, shape.headDim);
    problem.vStrides = problem.kStrides;
    fill(q, problem.qStrides, type, family, Role::Query, shape.batch, shape.queryHeads, shape.queries,
         shape.headDim, 3 * seed);
    fill(k, problem.kStrides, type, family, Role::Key, shape.batch, shape.keyHeads, shape.keys, shape.headDim,
         3 * seed + 1);
    fill(v, problem.vStrides, type, family, Role::Value, shape.batch, shape.keyHeads, shape.keys,
         shape.headDim, 3 * seed + 2);
    out.assign(q.size() + kGuardBytes, kGuard);
    problem.q = q.data();
    problem.k = k.data();
    problem.v = v.data();
    problem.out = out.data();
}

void AttentionCase::withLse() {
    lse.assign(static_cast<std::size_t>(problem.batch * problem.queryHeads * problem.queries),
               std::numeric_limits<float>::quiet_NaN());
    problem.lse = lse.data();
}

std::vector<double> AttentionCase::output() const {
    std::vector<double> wide;
    const auto& p = problem;
    wide.reserve(static_cast<std::size_t>(p.batch * p.queryHeads * p.queries * p.headDim));
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h)
            for (std::int64_t n = 0; n < p.queries; ++n)
                for (std::int64_t d = 0; d < p.headDim; ++d)
                    wide.push_back(elementAt(
                        p.type, out.data(),
                        b * p.outStrides.batch + h * p.outStrides.head + n * p.outStrides.token + d));
    return wide;
}

bool AttentionCase::guardIntact() const {
    for (std::size_t i = q.size(); i < out.size(); ++i)
        if (out[i] != kGuard) return false;
    return true;
}

std::string AttentionCase::name() const {
    const auto& p = problem;
    std::string text = kernels::nameOf(p.type);
    text += std::string(" ") + test::nameOf(family) + " B" + std::to_string(p.batch) + " H" +
            std::to_string(p.queryHeads) + "/" + std::to_string(p.keyHeads) + " N" +
            std::to_string(p.queries) + "x" + std::to_string(p.keys) + " D" + std::to_string(p.headDim);
    return text + (p.mask == Mask::Causal ? " causal" : "");
}

std::vector<double> lowPrecisionAttention(const AttentionProblem& p) {
    std::vector<double> out;
    std::vector<float> weights(static_cast<std::size_t>(p.keys));
    const auto at = [&](const void* data, const Strides& s, std::int64_t b, std::int64_t h, std::int64_t n,
                        std::int64_t d) {
        return static_cast<float>(elementAt(p.type, data, b * s.batch + h * s.head + n * s.token + d));
    };
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const std::int64_t keyHead = h / (p.queryHeads / p.keyHeads);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                const std::int64_t seen =
                    p.mask == Mask::Causal ? std::min(p.keys, i + p.keys - p.queries + 1) : p.keys;
                float top = -std::numeric_limits<float>::infinity();
                for (std::int64_t j = 0; j < seen; ++j) {
                    float dot = 0;
                    for (std::int64_t d = 0; d < p.headDim; ++d)
                        dot += at(p.q, p.qStrides, b, h, i, d) * at(p.k, p.kStrides, b, keyHead, j, d);
                    auto& weight = weights[static_cast<std::size_t>(j)];
                    weight = rounded(p.type, dot * p.scale);
                    top = std::max(top, weight);
                }
                float sum = 0;
                for (std::int64_t j = 0; j < seen; ++j) {
                    auto& weight = weights[static_cast<std::size_t>(j)];
                    weight = std::exp(weight - top);
                    sum += weight;
                }
                for (std::int64_t d = 0; d < p.headDim; ++d) {
                    float value = 0;
                    for (std::int64_t j = 0; j < seen; ++j)
                        value += rounded(p.type, weights[static_cast<std::size_t>(j)] / sum) *
                                 at(p.v, p.vStrides, b, keyHead, j, d);
                    out.push_back(static_cast<double>(rounded(p.type, value)));
                }
            }
        }
    return out;
}

double roundingOf(DataType type) {
    return type == DataType::Float32 ? 6e-7 : type == DataType::BFloat16 ? 1.0 / 256 : 1.0 / 2048;
}

double maxError(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double error = std::abs(a.at(i) - b[i]);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

double largest(const std::vector<double>& a) {
    double top = 0;
    for (const double x : a) top = std::max(top, std::abs(x));
    return top;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        ab += a.at(i) * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return ab / std::sqrt(aa * bb);
}

double relativeL1(const std::vector<double>& a, const std::vector<double>& reference) {
    double error = 0;
    double total = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        error += std::abs(a.at(i) - reference[i]);
        total += std::abs(reference[i]);
    }
    return error / total;
}

double rootMeanSquareError(const std::vector<double>& a, const std::vector<double>& reference) {
    double total = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
        total += (a.at(i) - reference[i]) * (a.at(i) - reference[i]);
    return std::sqrt(total / static_cast<double>(reference.size()));
}

bool allFinite(const std::vector<double>& a) {
    for (const double x : a)
        if (!std::isfinite(x)) return false;
    return true;
}

}  // namespace reelgrid::kernels::test
