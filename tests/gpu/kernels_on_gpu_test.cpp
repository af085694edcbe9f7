#include "kernels/cuda/library.h"

#include <cmath>
#include <limits>
#include <tuple>

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/linear.h"
#include "kernels/cpu/transformer/int8_linear.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::kernels::cuda {
namespace {

constexpr at::ScalarType kTypes[]{at::kFloat, at::kBFloat16, at::kHalf};

/// Half a unit in the last place, and fp32's own sums.
double roundingOf(at::ScalarType type) {
    return type == at::kFloat ? 2e-6 : type == at::kHalf ? 6e-4 : 4.5e-3;
}

class KernelsOnGpu : public OnGpu {
  protected:
    void SetUp() override {
        OnGpu::SetUp();
        if (!IsSkipped()) at::manual_seed(7);
    }
    at::Tensor random(at::IntArrayRef shape, at::ScalarType type = at::kFloat) const {
        return at::randn(shape, at::TensorOptions().device(gpu.device)).to(type);
    }
    /// Memory that shows what was not written.
    at::Tensor poisoned(at::IntArrayRef shape, at::ScalarType type) const {
        return at::full(shape, std::numeric_limits<double>::quiet_NaN(),
                        at::TensorOptions().device(gpu.device).dtype(type));
    }
    static DataType typeOf(at::ScalarType type) { return *execution::kernelTypeOf(type); }
};

/// Of int8 blocks along a side.
std::int64_t blocksOf(std::int64_t side) {
    return (side + kInt8Block - 1) / kInt8Block;
}

/// Largest difference beyond what rounding to the type may add, relative to each value's own size.
double worst(const at::Tensor& value, const at::Tensor& exact) {
    if (!value.isfinite().all().item<bool>()) return 1e30;
    const at::Tensor v = value.to(at::kDouble);
    return ((v - exact).abs() / (exact.abs() + exact.abs().mean())).max().item<double>();
}

TEST_F(KernelsOnGpu, AddThenNormIsWhatFloat64Gives) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {8, 24, 384, 1536, 3072, 5120, 16384})
            for (const std::int64_t rows : {1, 3, 3333}) {
                at::Tensor x = random({rows, channels}) + 0.3;
                const at::Tensor y = random({rows, channels}, type), gate = random({channels});
                const at::Tensor weight = random({channels}), bias = random({channels});
                const at::Tensor sum = x.to(at::kDouble) + y.to(at::kDouble) * gate.to(at::kDouble);
                const at::Tensor exact =
                    at::layer_norm(sum, {channels}, weight.to(at::kDouble), bias.to(at::kDouble), 1e-6);
                const at::Tensor out = poisoned({rows, channels}, type);
                library()->addThenNorm({.rows = rows,
                                        .channels = channels,
                                        .eps = 1e-6F,
                                        .type = typeOf(type),
                                        .x = x.data_ptr<float>(),
                                        .y = y.data_ptr(),
                                        .gate = gate.data_ptr<float>(),
                                        .weight = weight.data_ptr<float>(),
                                        .bias = bias.data_ptr<float>(),
                                        .out = out.data_ptr()},
                                       gpu.stream());
                EXPECT_LT(worst(out, exact), roundingOf(type))
                    << at::toString(type) << " " << rows << "x" << channels;
                EXPECT_LT(worst(x, sum), 2e-6) << at::toString(type) << " " << rows << "x" << channels;
            }
}

TEST_F(KernelsOnGpu, BlocksToInt8AreTheCpusIntegers) {
    for (const auto type : kTypes)
        for (const auto& [rows, channels] : {std::pair{1L, 16L}, {128L, 128L}, {300L, 336L}, {129L, 1536L}})
            for (const auto activation : {Activation::None, Activation::GeluTanh}) {
                at::Tensor x = random({rows, channels}, type) * 3;
                x[0][5] = 3e4;
                if (rows > 256) x.narrow(0, 128, 128).zero_();
                const bool gelu = activation == Activation::GeluTanh;
                const std::int64_t down = blocksOf(rows), across = blocksOf(channels);
                const at::Tensor integers = at::empty({rows, channels}, x.options().dtype(at::kChar)),
                                 scales = poisoned({down, across}, at::kFloat);
                library()->blocksToInt8({.rows = rows,
                                         .channels = channels,
                                         .type = typeOf(type),
                                         .x = x.data_ptr(),
                                         .activation = activation,
                                         .out = integers.data_ptr(),
                                         .scales = scales.data_ptr<float>()},
                                        gpu.stream());
                const at::Tensor values = (gelu ? at::gelu(x, "tanh") : x).to(at::kFloat).cpu().contiguous();
                const at::Tensor wanted = at::empty({rows, channels}, at::kChar),
                                 wantedScales = at::empty({down, across});
                transformer::quantiseInt8(rows, channels, values.const_data_ptr<float>(),
                                          wanted.data_ptr<std::int8_t>(), wantedScales.data_ptr<float>());
                const std::string what = std::string(at::toString(type)) + " " + std::to_string(rows) + "x" +
                                         std::to_string(channels) + (gelu ? " gelu" : "");
                const at::Tensor differs = integers.cpu() != wanted;
                // Two implementations of tanh round a few values of gelu apart.
                EXPECT_LE(differs.sum().item<std::int64_t>(), gelu ? rows * channels / 100 + 1 : 0) << what;
                EXPECT_TRUE(at::allclose(scales.cpu(), wantedScales, gelu ? 1e-5 : 0, 0)) << what;
            }
    at::Tensor nan = random({256, 128}, at::kBFloat16);
    nan[200][7] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor integers = at::empty({256, 128}, nan.options().dtype(at::kChar)),
                     scales = at::zeros({2, 1}, nan.options().dtype(at::kFloat));
    library()->blocksToInt8({.rows = 256,
                             .channels = 128,
                             .type = DataType::BFloat16,
                             .x = nan.data_ptr(),
                             .out = integers.data_ptr(),
                             .scales = scales.data_ptr<float>()},
                            gpu.stream());
    EXPECT_TRUE(std::isnan(scales[1][0].item<float>()));
    EXPECT_TRUE(std::isfinite(scales[0][0].item<float>()));
}

TEST_F(KernelsOnGpu, ProductsOfInt8BlocksAreWhatFloat64Gives) {
    if (!library()->multipliesInt8()) GTEST_SKIP() << "this GPU has no products of int8";
    for (const auto type : {at::kBFloat16, at::kHalf})
        for (const auto& [rows, in, out] : {std::tuple{1L, 16L, 8L},
                                            {128L, 128L, 128L},
                                            {300L, 336L, 264L},
                                            {257L, 1536L, 384L},
                                            {1000L, 8960L, 1536L},
                                            {4096L, 128L, 8960L},
                                            // Several tiles, one after the other, of more blocks than one.
                                            {9000L, 336L, 1288L},
                                            {5000L, 4240L, 2056L}}) {
            const auto bytes = [&](at::IntArrayRef shape) {
                return at::randint(-128, 128, shape, at::TensorOptions().device(gpu.device)).to(at::kChar);
            };
            const auto scalesOf = [&](std::int64_t down, std::int64_t across) {
                return at::rand({blocksOf(down), blocksOf(across)}, at::TensorOptions().device(gpu.device)) *
                           0.01 +
                       0.001;
            };
            const at::Tensor x = bytes({rows, in}), weight = bytes({out, in}), bias = random({out});
            const at::Tensor xScales = scalesOf(rows, in), weightScales = scalesOf(out, in);
            const auto wide = [](const at::Tensor& integers, const at::Tensor& scales) {
                const at::Tensor each =
                    scales.to(at::kDouble).repeat_interleave(kInt8Block, 0).repeat_interleave(kInt8Block, 1);
                return integers.to(at::kDouble) *
                       each.narrow(0, 0, integers.size(0)).narrow(1, 0, integers.size(1));
            };
            for (const bool biased : {true, false}) {
                at::Tensor exact = at::matmul(wide(x, xScales), wide(weight, weightScales).t());
                if (biased) exact = exact + bias.to(at::kDouble);
                // A guard behind the output shows what was written beyond it.
                const at::Tensor memory = poisoned({(rows + 1) * out}, type);
                library()->int8Product({.rows = rows,
                                        .inputs = in,
                                        .outputs = out,
                                        .type = typeOf(type),
                                        .x = x.data_ptr(),
                                        .xScales = xScales.data_ptr<float>(),
                                        .weight = weight.data_ptr(),
                                        .weightScales = weightScales.data_ptr<float>(),
                                        .bias = biased ? bias.data_ptr<float>() : nullptr,
                                        .out = memory.data_ptr()},
                                       gpu.stream());
                const at::Tensor y = memory.narrow(0, 0, rows * out).view({rows, out});
                EXPECT_LT(worst(y, exact), roundingOf(type))
                    << at::toString(type) << " " << rows << "x" << in << "x" << out;
                EXPECT_TRUE(memory.narrow(0, rows * out, out).isnan().all().item<bool>());
            }
        }
}

TEST_F(KernelsOnGpu, LinearLayersInInt8GiveWhatTheCpuGives) {
    if (!library()->multipliesInt8()) GTEST_SKIP() << "this GPU has no products of int8";
    for (const auto type : {at::kBFloat16, at::kHalf}) {
        const auto part = [&](std::int64_t out) {
            return models::Linear{at::randn({out, 336}).to(type), at::randn({out}).to(type)};
        };
        models::Linear onCpu = models::Linear::joined({part(128), part(256), part(72)});
        models::Linear onGpu{onCpu.weight.to(gpu.device), onCpu.bias.to(gpu.device)};
        onCpu.roundToInt8();
        onGpu.roundToInt8();
        EXPECT_FALSE(onGpu.roundsInputs);
        const at::Tensor x = at::randn({2, 150, 336}).to(type), y = onGpu(x.to(gpu.device));
        EXPECT_EQ(y.scalar_type(), type);
        EXPECT_LT(relativeError(y, onCpu(x)), roundingOf(type));
        EXPECT_TRUE(onGpu.takesGelu());
        EXPECT_LT(relativeError(onGpu.ofGelu(x.to(gpu.device)), onCpu(at::gelu(x, "tanh"))),
                  4 * roundingOf(type));
    }
}

TEST_F(KernelsOnGpu, RowsToFp8AreLibtorchsRoundedValues) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {16, 48, 1536, 5120, 13824, 16384})
            for (const auto activation : {Activation::None, Activation::GeluTanh}) {
                const std::int64_t rows = 37;
                at::Tensor x = random({rows, channels}, type) * 3;
                x[1].zero_();
                x[2][5] = 3e4;
                const bool gelu = activation == Activation::GeluTanh;
                const at::Tensor values = (gelu ? at::gelu(x, "tanh") : x).to(at::kFloat);
                const at::Tensor most = values.abs().amax(-1, true);
                const at::Tensor scales = at::where(most > 0, most * (1.0F / 448), at::ones_like(most));
                const at::Tensor expected =
                    (values * scales.reciprocal()).to(at::kFloat8_e4m3fn).to(at::kFloat);
                const at::Tensor out = at::empty(x.sizes(), x.options().dtype(at::kFloat8_e4m3fn)),
                                 ownScales = poisoned({rows, 1}, at::kFloat);
                library()->rowsToFp8({.rows = rows,
                                      .channels = channels,
                                      .type = typeOf(type),
                                      .x = x.data_ptr(),
                                      .activation = activation,
                                      .out = out.data_ptr(),
                                      .scales = ownScales.data_ptr<float>()},
                                     gpu.stream());
                const auto what = std::string(at::toString(type)) + " " + std::to_string(channels);
                const double scaleError = ((ownScales - scales).abs() / scales).max().item<double>();
                const double different =
                    (out.to(at::kFloat) != expected).sum().item<double>() / static_cast<double>(x.numel());
                if (gelu) {  // whose last bit is each library's own
                    EXPECT_LE(scaleError, type == at::kFloat ? 1e-5 : 1e-2) << what;
                    EXPECT_LE(different, 0.02) << what;
                } else {
                    EXPECT_LE(scaleError, 1e-7) << what;
                    EXPECT_EQ(different, 0) << what;
                }
            }
}

TEST_F(KernelsOnGpu, HeadNormRotateIsWhatFloat64Gives) {
    constexpr std::int64_t kBatch = 2, kText = 3, kVideo = 41, kTokens = kText + kVideo;
    for (const auto type : kTypes)
        for (const std::int64_t headDim : {16, 32, 64, 128})
            for (const std::int64_t heads : {1, 2, 5, 30}) {
                const std::int64_t channels = heads * headDim;
                // q of three projections in one product.
                const at::Tensor qkv = random({kBatch, kTokens, 3 * channels}, type) + 0.25;
                const at::Tensor q = qkv.narrow(2, 0, channels),
                                 others = qkv.narrow(2, channels, 2 * channels);
                const at::Tensor before = others.clone();
                const at::Tensor weight = random({headDim}), bias = random({headDim});
                const at::Tensor rotary = at::polar(at::ones({kVideo, headDim / 2}, weight.options()),
                                                    random({kVideo, headDim / 2}) * 3);
                at::Tensor exact =
                    at::layer_norm(q.to(at::kDouble).unflatten(-1, {heads, headDim}), {headDim},
                                   weight.to(at::kDouble), bias.to(at::kDouble), 1e-6);
                at::view_as_complex(exact.narrow(1, kText, kVideo).unflatten(-1, {-1, 2}))
                    .mul_(rotary.to(at::kComplexDouble).unsqueeze(1));
                library()->headNormRotate({.rows = kBatch * kTokens,
                                           .channels = channels,
                                           .rowStride = 3 * channels,
                                           .headDim = headDim,
                                           .eps = 1e-6F,
                                           .type = typeOf(type),
                                           .x = q.data_ptr(),
                                           .weight = weight.data_ptr<float>(),
                                           .bias = bias.data_ptr<float>(),
                                           .rotary = at::view_as_real(rotary).data_ptr<float>(),
                                           .tokens = kTokens,
                                           .firstRotated = kText},
                                          gpu.stream());
                EXPECT_LT(worst(q.unflatten(-1, {heads, headDim}), exact), roundingOf(type))
                    << at::toString(type) << " " << heads << "x" << headDim;
                EXPECT_TRUE(at::equal(others, before)) << "it wrote beyond its rows";
            }
}

TEST_F(KernelsOnGpu, JoinHeadsIsWhatFloat64Gives) {
    constexpr std::int64_t kBatch = 2, kTokens = 41, kBefore = 3, kAll = kBefore + kTokens + 2;
    for (const auto type : kTypes)
        for (const std::int64_t headDim : {16, 32, 64, 128})
            for (const std::int64_t heads : {1, 5, 38})
                for (const bool normed : {true, false}) {
                    const std::int64_t channels = heads * headDim;
                    at::Tensor x = random({kBatch, kTokens, 3, heads, headDim}, type);
                    const at::Tensor weights = random({2, headDim}) + 1;
                    at::Tensor exact = x.to(at::kDouble);
                    if (normed)
                        for (const std::int64_t i : {0, 1}) {
                            const at::Tensor part = exact.select(2, i);
                            part.mul_(at::rsqrt(part.square().mean(-1, true) + 1e-6))
                                .mul_(weights[i].to(at::kDouble));
                        }
                    const auto join = [&](const at::Tensor& out, std::int64_t first) {
                        library()->joinHeads({.rows = kBatch * kTokens,
                                              .channels = channels,
                                              .headDim = headDim,
                                              .eps = 1e-6F,
                                              .type = typeOf(type),
                                              .x = x.data_ptr(),
                                              .queryWeight = normed ? weights[0].data_ptr<float>() : nullptr,
                                              .keyWeight = normed ? weights[1].data_ptr<float>() : nullptr,
                                              .tokens = kTokens,
                                              .out = out.data_ptr(),
                                              .outTokens = out.size(1),
                                              .firstToken = first},
                                             gpu.stream());
                    };
                    const std::string what = std::string(at::toString(type)) + " " + std::to_string(heads) +
                                             "x" + std::to_string(headDim);
                    const at::Tensor out = poisoned({kBatch, kAll, 3, heads, headDim}, type);
                    join(out, kBefore);
                    const at::Tensor there = out.narrow(1, kBefore, kTokens);
                    EXPECT_LT(worst(there, exact), normed ? roundingOf(type) : 1e-12) << what;
                    EXPECT_EQ(out.isnan().sum().item<std::int64_t>(),
                              kBatch * (kAll - kTokens) * 3 * channels)
                        << what << ": it wrote beyond its tokens";
                    const at::Tensor apart = there.clone();
                    join(x, 0);
                    EXPECT_TRUE(at::equal(x, apart)) << what << " in place";
                }
}

TEST_F(KernelsOnGpu, AddThenNormLeavesOutWhatIsNull) {
    const std::int64_t rows = 5, channels = 384;
    at::Tensor x = random({rows, channels});
    const at::Tensor before = x.clone(), y = random({rows, channels}, at::kBFloat16);
    const at::Tensor weight = random({channels}), bias = random({channels});
    library()->addThenNorm({.rows = rows,
                            .channels = channels,
                            .type = DataType::BFloat16,
                            .x = x.data_ptr<float>(),
                            .y = y.data_ptr()},
                           gpu.stream());
    EXPECT_TRUE(at::equal(x, before + y.to(at::kFloat)));
    const at::Tensor sum = x.clone(), out = poisoned({rows, channels}, at::kFloat);
    library()->addThenNorm({.rows = rows,
                            .channels = channels,
                            .eps = 1e-6F,
                            .x = x.data_ptr<float>(),
                            .weight = weight.data_ptr<float>(),
                            .bias = bias.data_ptr<float>(),
                            .out = out.data_ptr()},
                           gpu.stream());
    EXPECT_TRUE(at::equal(x, sum));
    EXPECT_LT(worst(out, at::layer_norm(sum.to(at::kDouble), {channels}, weight.to(at::kDouble),
                                        bias.to(at::kDouble), 1e-6)),
              2e-6);
}

TEST_F(KernelsOnGpu, RmsNormRotateIsWhatFloat64GivesOnStridedRows) {
    for (const auto type : kTypes)
        for (const auto& [heads, headDim] :
             {std::pair{1L, 8L}, {3L, 128L}, {12L, 128L}, {40L, 128L}, {48L, 64L}, {64L, 128L}})
            for (const bool rotates : {false, true}) {
                const std::int64_t tokens = 1207, batch = 3, rows = batch * tokens,
                                   channels = heads * headDim;
                const at::Tensor whole = random({rows, 3 * channels}, type);
                at::Tensor x = whole.narrow(1, channels, channels);
                const at::Tensor before = whole.clone();
                const at::Tensor weight = random({channels});
                const at::Tensor angle = random({tokens, headDim / 2});
                const at::Tensor cos = angle.cos(), sin = angle.sin();
                const at::Tensor wide = before.narrow(1, channels, channels).to(at::kDouble);
                at::Tensor exact =
                    wide * at::rsqrt(wide.square().mean(-1, true) + 1e-6) * weight.to(at::kDouble);
                if (rotates) {
                    const at::Tensor pairs = exact.view({batch, tokens, heads, headDim / 2, 2});
                    const at::Tensor c = cos.to(at::kDouble).view({1, tokens, 1, -1}),
                                     s = sin.to(at::kDouble).view({1, tokens, 1, -1});
                    const at::Tensor even = pairs.select(-1, 0), odd = pairs.select(-1, 1);
                    exact = at::stack({even * c - odd * s, even * s + odd * c}, -1).reshape({rows, channels});
                }
                library()->rmsNormRotate({.rows = rows,
                                          .channels = channels,
                                          .rowStride = 3 * channels,
                                          .eps = 1e-6F,
                                          .type = typeOf(type),
                                          .x = x.data_ptr(),
                                          .weight = weight.data_ptr<float>(),
                                          .cos = rotates ? cos.data_ptr<float>() : nullptr,
                                          .sin = rotates ? sin.data_ptr<float>() : nullptr,
                                          .tokens = tokens,
                                          .headDim = headDim},
                                         gpu.stream());
                EXPECT_LT(worst(x, exact), roundingOf(type))
                    << at::toString(type) << " " << heads << "x" << headDim << " " << rotates;
                EXPECT_TRUE(at::equal(whole.narrow(1, 0, channels), before.narrow(1, 0, channels)));
                EXPECT_TRUE(at::equal(whole.narrow(1, 2 * channels, channels),
                                      before.narrow(1, 2 * channels, channels)));
            }
}

TEST_F(KernelsOnGpu, ChannelNormIsWhatFloat64Gives) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {8, 16, 96, 192, 256, 384, 640, 1024})
            for (const std::int64_t pixels : {1, 31, 50021})
                for (const Activation activation : {Activation::None, Activation::Silu}) {
                    at::Tensor x = random({pixels, channels}, type);
                    const bool hasZeros = pixels > 1;
                    if (hasZeros) x[pixels / 2].zero_();
                    const at::Tensor scale = random({channels}), out = poisoned({pixels, channels}, type);
                    const at::Tensor wide = x.to(at::kDouble);
                    at::Tensor exact =
                        wide / at::linalg_vector_norm(wide, 2, at::IntArrayRef{-1}, true).clamp_min(1e-12) *
                        scale.to(at::kDouble);
                    if (activation == Activation::Silu) exact = at::silu(exact);
                    library()->channelNorm({.pixels = pixels,
                                            .channels = channels,
                                            .type = typeOf(type),
                                            .x = x.data_ptr(),
                                            .scale = scale.data_ptr<float>(),
                                            .activation = activation,
                                            .out = out.data_ptr()},
                                           gpu.stream());
                    EXPECT_LT(worst(out, exact), roundingOf(type))
                        << at::toString(type) << " " << pixels << "x" << channels;
                    const double atZeros = hasZeros ? out[pixels / 2].abs().max().item<double>() : 0;
                    EXPECT_EQ(atZeros, 0);
                }
}

TEST_F(KernelsOnGpu, AddBiasIsRoundedOnce) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {8, 96, 384})
            for (const bool hasResidual : {false, true}) {
                const std::int64_t pixels = 1003;
                at::Tensor y = random({pixels, channels}, type);
                const at::Tensor bias = random({channels}, type), residual = random({pixels, channels}, type);
                at::Tensor exact = y.to(at::kFloat) + bias.to(at::kFloat);
                if (hasResidual) exact = exact + residual.to(at::kFloat);
                library()->addBias({.pixels = pixels,
                                    .channels = channels,
                                    .type = typeOf(type),
                                    .y = y.data_ptr(),
                                    .bias = bias.data_ptr(),
                                    .residual = hasResidual ? residual.data_ptr() : nullptr},
                                   gpu.stream());
                EXPECT_TRUE(at::equal(y, exact.to(type))) << at::toString(type) << " " << channels;
            }
}

/// Rows whose keys one part, the other or none has; parts with rows that lie apart; fp32 between merges.
TEST_F(KernelsOnGpu, MergeAttentionIsWhatFloat64Gives) {
    for (const auto type : kTypes)
        for (const std::int64_t headDim : {8, 64, 128})
            for (const bool isBeforeFp32 : {false, true})
                for (const bool isOutFp32 : {false, true}) {
                    const std::int64_t batch = 2, heads = 3, queries = 517;
                    const auto partOf = [&](at::ScalarType of, std::int64_t extra) {
                        return random({batch, queries, heads, headDim + extra}, of)
                            .narrow(3, 0, headDim)
                            .transpose(1, 2);
                    };
                    const at::Tensor before = partOf(isBeforeFp32 ? at::kFloat : type, 8),
                                     added = partOf(type, 16);
                    at::Tensor lses[] = {random({batch, heads, queries}) * 3 + 7,
                                         random({batch, heads, queries}) * 3 + 7};
                    constexpr double kNone = -std::numeric_limits<double>::infinity();
                    lses[0].narrow(2, 0, 3).fill_(kNone);
                    lses[1].narrow(2, 2, 3).fill_(kNone);
                    before.narrow(2, 0, 1).fill_(std::numeric_limits<double>::quiet_NaN());  // of no account
                    const at::Tensor out = at::empty({batch, queries, heads, headDim},
                                                     before.options().dtype(isOutFp32 ? at::kFloat : type)),
                                     lse = at::empty_like(lses[0]);
                    const auto described = [](const at::Tensor& x, const at::Tensor& l) {
                        return MergeAttention::Part{.out = x.const_data_ptr(),
                                                    .lse = l.const_data_ptr<float>(),
                                                    .strides = {x.stride(0), x.stride(1), x.stride(2)}};
                    };
                    library()->mergeAttention({.batch = batch,
                                               .heads = heads,
                                               .queries = queries,
                                               .headDim = headDim,
                                               .type = typeOf(type),
                                               .before = described(before, lses[0]),
                                               .added = described(added, lses[1]),
                                               .isBeforeFp32 = isBeforeFp32,
                                               .isOutFp32 = isOutFp32,
                                               .out = out.data_ptr(),
                                               .lse = lse.data_ptr<float>()},
                                              gpu.stream());
                    const at::Tensor wantedLse =
                        at::logaddexp(lses[0].to(at::kDouble), lses[1].to(at::kDouble));
                    const auto weighted = [&](const at::Tensor& x, const at::Tensor& l) {
                        const at::Tensor weight =
                            at::exp(l.to(at::kDouble) - wantedLse).nan_to_num(0.0).unsqueeze(-1);
                        return at::where(weight == 0, at::zeros_like(weight), weight * x.to(at::kDouble));
                    };
                    const at::Tensor wanted = weighted(before, lses[0]) + weighted(added, lses[1]);
                    const at::Tensor got = out.transpose(1, 2).to(at::kDouble);
                    // fp32 rounds the difference d of the LSEs, by |d| units (2^-24), its power by 4 (expf
                    // is within two places), then a sum, a quotient, a product and a sum by one each: to be
                    // had of the two terms' sizes, which may cancel. The output is rounded once more.
                    const at::Tensor sizes = weighted(before.abs(), lses[0]) + weighted(added.abs(), lses[1]),
                                     difference = (lses[1] - lses[0]).to(at::kDouble).abs();
                    const at::Tensor units = difference.nan_to_num(0.0, 0.0, 0.0).unsqueeze(-1) + 8;
                    const double rounding = isOutFp32 || type == at::kFloat ? 0
                                            : type == at::kHalf             ? 0x1p-11
                                                                            : 0x1p-8;
                    // fp16 ends at 2^-24: half of that.
                    const at::Tensor bound =
                        units * 0x1p-24 * sizes + rounding * wanted.abs() + (rounding > 0 ? 0x1p-25 : 0);
                    EXPECT_TRUE(((got - wanted).abs() <= bound).all().item<bool>())
                        << at::toString(type) << " d" << headDim << " " << isBeforeFp32 << isOutFp32;
                    const at::Tensor hasKeys = wantedLse > kNone;
                    EXPECT_LE(
                        (lse.to(at::kDouble) - wantedLse).masked_select(hasKeys).abs().max().item<double>(),
                        1e-5);
                    EXPECT_TRUE(lse.masked_select(hasKeys.logical_not()).isinf().all().item<bool>());
                }
}

/// Channels in every width that a block of threads takes differently, groups down to one channel.
TEST_F(KernelsOnGpu, GroupNormIsWhatFloat64Gives) {
    struct Shape {
        std::int64_t pictures, pixels, channels, groups;
    };
    for (const auto type : kTypes)
        for (const auto& [pictures, pixels, channels, groups] : {Shape{1, 1, 32, 4},
                                                                 {3, 7, 40, 8},
                                                                 {2, 4099, 128, 32},
                                                                 {16, 64, 1280, 32},
                                                                 {1, 20000, 320, 32},
                                                                 {5, 33, 2560, 32},
                                                                 {2, 300, 1920, 32},
                                                                 {1, 77, 2560, 1}})
            for (const bool hasAdded : {false, true})
                for (const Activation activation : {Activation::None, Activation::Silu}) {
                    const at::Tensor x = (random({pictures, pixels, channels}) * 0.5 + 3).to(type);
                    const at::Tensor added = random({channels}, type), weight = random({channels}, type),
                                     bias = random({channels}, type);
                    at::Tensor moved = x.to(at::kDouble);
                    if (hasAdded) moved = moved + added.to(at::kDouble);
                    at::Tensor exact = at::group_norm(moved.transpose(1, 2).contiguous(), groups,
                                                      weight.to(at::kDouble), bias.to(at::kDouble), 1e-5)
                                           .transpose(1, 2);
                    if (activation == Activation::Silu) exact = at::silu(exact);
                    const at::Tensor out = poisoned(x.sizes(), type);
                    const at::Tensor workspace =
                        poisoned({groupNormFloats(pictures, pixels, channels)}, at::kFloat);
                    const auto run = [&] {
                        library()->groupNorm({.pictures = pictures,
                                              .pixels = pixels,
                                              .channels = channels,
                                              .groups = groups,
                                              .eps = 1e-5F,
                                              .type = typeOf(type),
                                              .x = x.data_ptr(),
                                              .added = hasAdded ? added.data_ptr() : nullptr,
                                              .weight = weight.data_ptr(),
                                              .bias = bias.data_ptr(),
                                              .activation = activation,
                                              .out = out.data_ptr(),
                                              .workspace = workspace.data_ptr<float>()},
                                             gpu.stream());
                    };
                    run();
                    EXPECT_LT(worst(out, exact), roundingOf(type) + 1e-5)
                        << at::toString(type) << " " << x.sizes() << " in " << groups;
                    const at::Tensor first = out.clone();
                    run();
                    EXPECT_TRUE(at::equal(first, out)) << "other bits in a second run";
                }
}

TEST_F(KernelsOnGpu, SumNormIsWhatFloat64Gives) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {8, 40, 320, 640, 1280, 2048})
            for (const int terms : {0, 1, 2, 3}) {
                const std::int64_t frames = 3, pixels = 37, rows = frames * pixels;
                const at::Tensor x = random({frames, pixels, channels}, type),
                                 y = random({pixels, channels}, type),
                                 ofFrames = random({frames, channels}, type),
                                 everywhere = random({channels}, type),
                                 shift = random({frames, channels}, type), weight = random({channels}, type),
                                 bias = random({channels}, type);
                // Nothing, a row a frame, a row a row, and one everywhere beside it.
                const at::Tensor full = at::cat({y, y * 0.5, y * 2});
                at::Tensor sum = x.to(at::kDouble);
                if (terms == 1) sum = sum + ofFrames.to(at::kDouble).unsqueeze(1);
                if (terms >= 2) sum = sum + full.to(at::kDouble).view_as(x);
                if (terms == 3) sum = sum + everywhere.to(at::kDouble);
                const at::Tensor kept = terms == 0 ? sum : sum.to(type).to(at::kDouble);
                at::Tensor exact =
                    at::layer_norm(kept, {channels}, weight.to(at::kDouble), bias.to(at::kDouble), 1e-5);
                const bool shifts = terms % 2 == 0;
                if (shifts) exact = exact + shift.to(at::kDouble).unsqueeze(1);
                const at::Tensor sumOut = poisoned(x.sizes(), type), out = poisoned(x.sizes(), type);
                library()->sumNorm({.rows = rows,
                                    .channels = channels,
                                    .eps = 1e-5F,
                                    .type = typeOf(type),
                                    .x = x.data_ptr(),
                                    .y = terms == 0   ? nullptr
                                         : terms == 1 ? ofFrames.data_ptr()
                                                      : full.data_ptr(),
                                    .rowsOfY = terms == 1 ? pixels : 1,
                                    .everywhere = terms == 3 ? everywhere.data_ptr() : nullptr,
                                    .sum = terms == 0 ? nullptr : sumOut.data_ptr(),
                                    .weight = weight.data_ptr(),
                                    .bias = bias.data_ptr(),
                                    .shift = shifts ? shift.data_ptr() : nullptr,
                                    .rowsOfShift = pixels,
                                    .out = out.data_ptr()},
                                   gpu.stream());
                if (terms > 0) {
                    EXPECT_LT(worst(sumOut, sum), roundingOf(type)) << channels << " " << terms;
                }
                // A sum at a rounding tie may be kept one unit off.
                EXPECT_LT(worst(out, exact), 3 * roundingOf(type) + 1e-5)
                    << at::toString(type) << " " << channels << " " << terms;
            }
}

TEST_F(KernelsOnGpu, GatedGeluAndBlendAreWhatFloat64Gives) {
    for (const auto type : kTypes)
        for (const std::int64_t channels : {8, 1280, 5120})
            for (const std::int64_t rows : {1, 7, 515}) {
                const at::Tensor x = random({rows, 2 * channels}, type),
                                 out = poisoned({rows, channels}, type);
                library()->gatedGelu({.rows = rows,
                                      .channels = channels,
                                      .type = typeOf(type),
                                      .x = x.data_ptr(),
                                      .out = out.data_ptr()},
                                     gpu.stream());
                const auto halves = x.to(at::kDouble).chunk(2, -1);
                EXPECT_LT(worst(out, halves[0] * at::gelu(halves[1])), roundingOf(type)) << channels;
                const at::Tensor y = random({rows, channels}, type), z = random({rows, channels}, type),
                                 blended = poisoned({rows, channels}, type);
                library()->blend({.values = rows * channels,
                                  .share = 0.3F,
                                  .type = typeOf(type),
                                  .x = out.data_ptr(),
                                  .y = y.data_ptr(),
                                  .z = z.data_ptr(),
                                  .out = blended.data_ptr()},
                                 gpu.stream());
                const at::Tensor sum = y.to(at::kDouble) + z.to(at::kDouble);
                EXPECT_LT(worst(blended, at::lerp(out.to(at::kDouble), sum, 0.3)), roundingOf(type));
            }
}

}  // namespace
}  // namespace reelgrid::kernels::cuda
