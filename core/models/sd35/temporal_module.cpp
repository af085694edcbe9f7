#include "core/models/sd35/temporal_module.h"

#include <cmath>
#include <string>

#include "core/base/result.h"

namespace reelgrid::models::sd35 {

using execution::Part;

namespace {

constexpr double kTemporalNormEps = 1e-5;

/// Sines and cosines of a frame's number, in turn: fp32 [frames, channels].
at::Tensor framePositions(std::int64_t frames, std::int64_t channels) {
    const at::Tensor frequencies =
        at::exp(at::arange(0, channels, 2, at::kLong) * (-std::log(10000.0) / static_cast<double>(channels)));
    const at::Tensor angles = at::arange(frames, at::kLong).unsqueeze(1) * frequencies;
    return at::stack({at::sin(angles), at::cos(angles)}, -1).flatten(1);
}

Linear withoutBias(const weights::WeightScope& scope, std::int64_t channels) {
    return {scope("weight", {channels, channels}), {}};
}

}  // namespace

TemporalModule::TemporalModule(const TemporalConfig& config, const weights::WeightScope& scope)
    : m_config(config),
      m_dtype(scope.dtype()),
      m_positions_FC(framePositions(config.maxSeqLength, config.innerDim())
                         .to(at::TensorOptions().dtype(scope.dtype()).device(scope.device()))) {
    const auto c = config.innerDim();
    for (std::int64_t layer = 0; layer < config.numLayers; ++layer) {
        const weights::WeightScope block = scope / "temporal_blocks" / layer, norm = block / "norm";
        const auto product = [&](const char* name) { return withoutBias(block / name, c).weight; };
        m_blocks.push_back(
            {.norm = NormAffine{norm.fp32("weight", {c}), norm.fp32("bias", {c}), kTemporalNormEps},
             .qkv = Linear{at::cat({product("to_q"), product("to_k"), product("to_v")}), {}},
             .out = Linear::load(block / "to_out" / "0", c, c)});
    }
}

void TemporalModule::add(ResidualStream& frames_FNC, int layer, double strength,
                         const attention::LayerContext& context) const {
    const Block& block = m_blocks.at(static_cast<std::size_t>(layer));
    const at::Tensor normed_FNC = frames_FNC.normed({block.norm}, m_dtype);
    const std::int64_t frames = normed_FNC.size(0);
    if (frames > m_config.maxSeqLength)
        throw Failure(ErrorCode::BadUsage, std::to_string(frames) +
                                               " frames at once, the temporal module has " +
                                               std::to_string(m_config.maxSeqLength) + " positions");
    const auto running = context.during(Part::Projections);
    const at::Tensor x_NFC =
        normed_FNC.transpose(0, 1).contiguous().add_(m_positions_FC.narrow(0, 0, frames));
    const std::vector<at::Tensor> qkv = block.qkv(x_NFC).chunk(3, -1);
    const auto headsOf = [&](const at::Tensor& x) {
        return x.unflatten(-1, {m_config.numAttentionHeads, -1}).transpose(1, 2);
    };
    const auto attend = [&] {
        const auto attention = context.during(Part::SelfAttention);
        return context.dispatcher.attend({.q_BHND = headsOf(qkv[0]),
                                          .k_BHMD = headsOf(qkv[1]),
                                          .v_BHMD = headsOf(qkv[2]),
                                          .keyBias_M = {},
                                          .grid = {.frames = frames, .rows = 1, .columns = 1}},
                                         {attention::ModuleKind::Temporal, layer});
    };
    const at::Tensor moved_NFC = block.out(attend().transpose(1, 2).flatten(2));
    at::Tensor gate_C;
    if (strength != 1)
        gate_C = at::full({m_config.innerDim()}, strength, moved_NFC.options().dtype(at::kFloat));
    frames_FNC.add(moved_NFC.transpose(0, 1), {gate_C});
}

std::uint64_t TemporalModule::weightBytes(const TemporalConfig& config, at::ScalarType dtype) {
    weights::RecordingWeights counted;
    const TemporalModule module(config, weights::WeightScope(counted, dtype));
    std::int64_t values = 0;
    for (const auto& [name, shape] : counted.requests()) values += c10::multiply_integers(shape);
    return static_cast<std::uint64_t>(values) * c10::elementSize(dtype);
}

std::int64_t TemporalModule::bytesPerToken(const TemporalConfig& config, at::ScalarType dtype) {
    // What comes in as frames and as places, q, k and v, what attention gives, its projection, both ways.
    return (2 + 3 + 1 + 2) * config.innerDim() * static_cast<std::int64_t>(c10::elementSize(dtype));
}

}  // namespace reelgrid::models::sd35
