#include "core/text/encoders/t5_config.h"

#include "core/text/encoders/umt5_config.h"

namespace reelgrid::text {
namespace {

// Far beyond the largest T5 (xxl: 24 layers, 64 heads, 4096 wide); a typing error would ask for terabytes.
constexpr std::int64_t kMaxLayers = 256;
constexpr std::int64_t kMaxHeads = 1024;
constexpr std::int64_t kMaxWidth = 1 << 17;
constexpr std::int64_t kMaxBuckets = 4096;

}  // namespace

T5Config T5Config::read(const weights::ModelConfig& config) {
    return readAs("t5", config);
}

Umt5Config Umt5Config::read(const weights::ModelConfig& config) {
    Umt5Config read{readAs("umt5", config)};
    read.positionBias = PositionBias::EveryLayer;
    return read;
}

T5Config T5Config::readAs(const std::string& modelType, const weights::ModelConfig& config) {
    if (config.textOr("model_type", modelType) != modelType)
        config.unsupported("model_type", "\"" + modelType + "\"");
    if (config.textOr("feed_forward_proj", "gated-gelu") != "gated-gelu")
        config.unsupported("feed_forward_proj", "\"gated-gelu\"");
    if (config.textOr("dense_act_fn", "gelu_new") != "gelu_new")
        config.unsupported("dense_act_fn", "\"gelu_new\"");
    if (!config.flagOr("is_gated_act", true)) config.unsupported("is_gated_act", "true");

    config.requirePlainWeights();
    T5Config read;
    read.vocabSize = config.positive("vocab_size");
    read.modelSize = config.positive("d_model", kMaxWidth);
    read.headSize = config.positive("d_kv", kMaxWidth);
    read.feedForwardSize = config.positive("d_ff", kMaxWidth);
    read.layers = config.positive("num_layers", kMaxLayers);
    read.heads = config.positive("num_heads", kMaxHeads);
    read.relativeBuckets = config.positiveOr("relative_attention_num_buckets", 32, kMaxBuckets);
    read.relativeMaxDistance = config.positiveOr("relative_attention_max_distance", 128);
    read.normEpsilon = config.numberOr("layer_norm_epsilon", 1e-6);
    // Half of the buckets are for either direction, half of those for single steps.
    if (read.relativeBuckets % 4 != 0) config.invalid("relative_attention_num_buckets", "a multiple of 4");
    if (read.relativeMaxDistance <= read.relativeBuckets / 4)
        config.invalid("relative_attention_max_distance",
                       "more than " + std::to_string(read.relativeBuckets / 4));
    return read;
}

}  // namespace reelgrid::text
