#include "core/benchmark/attention_input.h"

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <cmath>
#include <utility>

namespace reelgrid::benchmark {
namespace {

constexpr std::array kDistributions{
    std::pair{Distribution::Normal, "normal"},
    std::pair{Distribution::Transformer, "transformer"},
    std::pair{Distribution::Outlier, "outlier"},
    std::pair{Distribution::Sink, "sink"},
};

constexpr std::int64_t kSinks = 4;
constexpr std::int64_t kOutlierChannelStep = 16, kOutlierChannel = 3;

enum class Role { Query, Key, Value };

/// Draws the tensors of one case, one after the other.
class Source {
  public:
    explicit Source(const MadeUp& wanted)
        : m_wanted(wanted), m_generator(at::detail::createCPUGenerator(wanted.seed)) {}

    at::Tensor draw(Role role, std::int64_t batch, std::int64_t heads, std::int64_t tokens, std::int64_t dim,
                    at::ScalarType type) {
        at::Tensor x_BNHD = normal({batch, tokens, heads, dim});
        switch (m_wanted.distribution) {
            case Distribution::Normal:
                break;
            case Distribution::Transformer:
                shapeAsTransformer(x_BNHD, role);
                break;
            case Distribution::Outlier:
                addOutliers(x_BNHD);
                break;
            case Distribution::Sink:
                if (role == Role::Query) x_BNHD.mul_(0.5).add_(1);
                if (role == Role::Key) x_BNHD.narrow(1, 0, std::min(kSinks, tokens)).mul_(0.5).add_(2);
                break;
        }
        const at::Tensor x_BHND = x_BNHD.to(type).transpose(1, 2);
        return m_wanted.order == MemoryOrder::TokensFirst ? x_BHND : x_BHND.contiguous();
    }

  private:
    at::Tensor normal(at::IntArrayRef sizes) { return at::randn(sizes, m_generator, at::kFloat); }

    void shapeAsTransformer(at::Tensor& x_BNHD, Role role) {
        constexpr double kSpread = 0.5, kEpsilon = 1e-6;
        at::Tensor scale_HD = at::exp(kSpread * normal({x_BNHD.size(2), x_BNHD.size(3)}));
        if (role == Role::Value)
            for (std::int64_t d = kOutlierChannel; d < scale_HD.size(1); d += kOutlierChannelStep)
                scale_HD.select(1, d).mul_(4);
        x_BNHD.mul_(scale_HD);
        if (role != Role::Value) x_BNHD.mul_(at::rsqrt(x_BNHD.square().mean(-1, true).add_(kEpsilon)));
    }

    void addOutliers(at::Tensor& x_BNHD) {
        constexpr double kShare = 0.001, kDeviation = 10;
        const at::Tensor chosen = at::rand(x_BNHD.sizes(), m_generator, at::kFloat).lt_(kShare);
        x_BNHD.add_(normal(x_BNHD.sizes()).mul_(kDeviation).mul_(chosen));
    }

    MadeUp m_wanted;
    at::Generator m_generator;
};

}  // namespace

AttentionInput movedTo(const AttentionInput& input, at::Device device) {
    AttentionInput moved = input;
    for (at::Tensor* tensor :
         {&moved.q_BHND, &moved.k_BHMD, &moved.v_BHMD, &moved.keyBias_M, &moved.projL_DD, &moved.projLBias_D})
        if (tensor->defined()) *tensor = tensor->to(device);
    return moved;
}

double scaleOf(const AttentionInput& input) {
    return input.scale.value_or(1 / std::sqrt(static_cast<double>(input.q_BHND.size(3))));
}

at::ScalarType scalarTypeOf(kernels::DataType type) {
    switch (type) {
        case kernels::DataType::Float32:
            return at::kFloat;
        case kernels::DataType::BFloat16:
            return at::kBFloat16;
        case kernels::DataType::Float16:
            break;
    }
    return at::kHalf;
}

const char* nameOf(Distribution wanted) {
    for (const auto& [distribution, name] : kDistributions)
        if (distribution == wanted) return name;
    return "";
}

Result<Distribution> distributionFrom(const std::string& name) {
    std::string known;
    for (const auto& [distribution, text] : kDistributions) {
        if (name == text) return distribution;
        known += (known.empty() ? "" : ", ") + std::string(text);
    }
    return Error{ErrorCode::BadUsage, "--distribution " + name + ": one of " + known + " was needed"};
}

AttentionInput makeUp(const MadeUp& wanted, const AttentionShape& s, kernels::DataType type) {
    Source source(wanted);
    AttentionInput input;
    input.q_BHND = source.draw(Role::Query, s.batch, s.heads, s.queries, s.headDim, scalarTypeOf(type));
    input.k_BHMD = source.draw(Role::Key, s.batch, s.keyHeads, s.keys, s.headDim, scalarTypeOf(type));
    input.v_BHMD = source.draw(Role::Value, s.batch, s.keyHeads, s.keys, s.headDim, scalarTypeOf(type));
    return input;
}

}  // namespace reelgrid::benchmark
