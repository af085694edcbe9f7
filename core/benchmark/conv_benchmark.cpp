#include "core/benchmark/conv_benchmark.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "core/benchmark/statistics.h"
#include "core/benchmark/stopwatch.h"
#include "core/vae/frame_conv.h"

// Shape legend: T frames, H rows, W columns, C channels.

namespace reelgrid::benchmark {
namespace {

constexpr std::int64_t kGroups = 32;
constexpr double kEps = 1e-5;
constexpr const char *kLibtorchConv = "libtorch", *kChannelsLast = "libtorch_channels_last",
                     *kProducts = "products", *kFused = "fused";

/// A layer's parameters, made up.
class MadeUpLayer final : public weights::WeightSource {
  public:
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override {
        at::Tensor& made = m_made[name];
        if (made.defined()) return made;
        made = at::rand(shape, m_generator) - 0.5;
        if (shape.size() > 1) made = made / std::sqrt(static_cast<double>(made[0].numel()) / 12);
        if (name == "norm.weight") made = made + 1;
        return made;
    }
    [[nodiscard]] bool has(const std::string&) const override { return true; }

  private:
    at::Generator m_generator = at::detail::createCPUGenerator(7);
    std::map<std::string, at::Tensor> m_made;
};

at::Tensor channelsFirst(const at::Tensor& x_THWC) {
    return x_THWC.permute({3, 0, 1, 2}).unsqueeze(0);
}

/// With libtorch's operators, in any dtype and either order of memory.
struct OperatorLayer {
    at::Tensor normWeight_C, normBias_C, weight_OCT11, bias_O;

    OperatorLayer(MadeUpLayer& layer, std::int64_t channels, const at::TensorOptions& options,
                  at::MemoryFormat format)
        : normWeight_C(layer.require("norm.weight", {channels}).to(options)),
          normBias_C(layer.require("norm.bias", {channels}).to(options)),
          weight_OCT11(
              layer.require("conv.weight", {channels, channels, 3, 1, 1}).to(options).contiguous(format)),
          bias_O(layer.require("conv.bias", {channels}).to(options)) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_1CTHW) const {
        const at::Tensor normed = at::group_norm(x_1CTHW, kGroups, normWeight_C, normBias_C, kEps);
        const std::vector<std::int64_t> ones{1, 1, 1}, around{1, 0, 0};
        return x_1CTHW + at::conv3d(at::silu(normed), weight_OCT11, bias_O, ones, around);
    }
};

/// One of our own ways.
struct OwnLayer {
    vae::GroupNorm norm;
    vae::FrameConv conv;

    OwnLayer(const weights::WeightScope& scope, vae::ConvEngine engine, std::int64_t channels)
        : norm({scope / "norm", engine}, channels, kGroups, kEps),
          conv({scope / "conv", engine}, channels, channels) {}

    /// The residual's memory becomes the result's.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, const at::Tensor& residual_THWC) const {
        return conv.forwardNormed(norm, x_THWC, {}, residual_THWC);
    }
};

double errorOf(const at::Tensor& made, const at::Tensor& exact) {
    const at::Tensor difference = made.cpu().to(at::kDouble) - exact;
    return std::sqrt(difference.square().mean().item<double>() / exact.var().item<double>());
}

const char* nameOfDtype(at::ScalarType dtype) {
    return dtype == at::kFloat ? "fp32" : dtype == at::kHalf ? "fp16" : "bf16";
}

/// The ways, and the bytes of activations that each moves: passes over memory. Norm's sums, norm, silu,
/// convolution and sum read, and the last four write; of the products norm's sums, norm with silu, three
/// products that read one operand and add to the other. Our own on the CPU read for the sums, and once more
/// with the residual while they write; on a GPU the norm with silu, the product and the sum are a pass each.
std::vector<FrameConvRow> waysOf(const FrameConvShape& shape, const FrameConvPlace& place) {
    const std::int64_t pass = shape.values() * static_cast<std::int64_t>(c10::elementSize(place.dtype));
    const bool onGpu = place.execution.device.is_cuda();
    std::vector<FrameConvRow> rows{{.kernel = kLibtorchConv, .bytes = pass * (2 + 2 + 2 + 3)}};
    if (onGpu) rows.push_back({.kernel = kChannelsLast, .bytes = pass * (2 + 2 + 2 + 3)});
    rows.push_back({.kernel = kProducts, .bytes = pass * (2 + 2 + 3 * 3 + 2)});
    // On the CPU other dtypes than fp32 have the products alone.
    if (onGpu || place.dtype == at::kFloat)
        rows.push_back({.kernel = kFused, .bytes = pass * (onGpu ? 1 + 2 + 2 + 3 : 1 + 3)});
    return rows;
}

}  // namespace

Result<FrameConvShape> FrameConvShape::from(const std::string& text) {
    constexpr std::int64_t kMostSide = 1 << 20, kMostValues = std::int64_t{1} << 32;
    FrameConvShape shape;
    const char *at = text.data(), *end = at + text.size();
    bool whole = true;
    for (std::int64_t* side : {&shape.frames, &shape.rows, &shape.columns, &shape.channels}) {
        const auto read = std::from_chars(at, end, *side);
        const bool last = side == &shape.channels;
        whole = whole && read.ec == std::errc() && *side >= 1 && *side <= kMostSide &&
                (last ? read.ptr == end : read.ptr != end && *read.ptr == ',');
        if (!whole) break;
        at = last ? end : read.ptr + 1;
    }
    if (whole && shape.channels % kGroups == 0 && shape.values() <= kMostValues) return shape;
    return Error{ErrorCode::BadUsage, "--shape " + text +
                                          ": frames,rows,columns,channels, channels a multiple of 32, at "
                                          "most 2^32 values, was needed"};
}

double FrameConvShape::flops() const {
    return 2.0 * 3 * static_cast<double>(values()) * static_cast<double>(channels);
}

std::vector<FrameConvShape> usualFrameConvs() {
    return {{14, 72, 128, 320}, {14, 36, 64, 640}, {14, 18, 32, 1280}};
}

FrameConvResult measureFrameConv(const FrameConvShape& shape, const FrameConvPlace& place, int repetitions,
                                 const std::function<void(int done, int total)>& progress,
                                 const std::stop_token& stop) {
    const c10::InferenceMode inference;
    MadeUpLayer layer;
    auto generator = at::detail::createCPUGenerator(8);
    const auto options = at::TensorOptions().device(place.execution.device).dtype(place.dtype);
    const at::Tensor x_THWC =
        at::randn({shape.frames, shape.rows, shape.columns, shape.channels}, generator).to(options);
    const at::Tensor exact_THWC =
        OperatorLayer(layer, shape.channels, at::kDouble, at::MemoryFormat::Contiguous)
            .forward(channelsFirst(x_THWC.cpu().to(at::kDouble)).contiguous())[0]
            .permute({1, 2, 3, 0})
            .contiguous();
    const weights::WeightScope scope(layer, place.dtype, place.execution.device);
    const OwnLayer products(scope, vae::ConvEngine::Libtorch, shape.channels),
        fused(scope, vae::ConvEngine::Fastest, shape.channels);
    const auto operatorsIn = [&](at::MemoryFormat format) {
        return [operators = OperatorLayer(layer, shape.channels, options, format),
                x_1CTHW = channelsFirst(x_THWC).contiguous(format)] {
            return operators.forward(x_1CTHW)[0].permute({1, 2, 3, 0});
        };
    };
    const auto channelsBefore = operatorsIn(at::MemoryFormat::Contiguous),
               channelsBehind = operatorsIn(at::MemoryFormat::ChannelsLast3d);

    FrameConvResult result{shape, nameOfDtype(place.dtype), waysOf(shape, place)};
    const Stopwatch stopwatch(place.execution);
    at::Tensor made_THWC, residual_THWC = at::empty_like(x_THWC);
    const auto compute = [&](const std::string& kernel) {
        if (kernel == kLibtorchConv) return channelsBefore();
        if (kernel == kChannelsLast) return channelsBehind();
        return (kernel == kProducts ? products : fused).forward(x_THWC, residual_THWC);
    };
    const int total = (repetitions + 1) * static_cast<int>(result.rows.size());
    int done = 0;
    for (int turn = 0; turn <= repetitions; ++turn)
        for (FrameConvRow& row : result.rows) {
            if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
            residual_THWC.copy_(x_THWC);
            const double seconds = stopwatch.time([&] { made_THWC = compute(row.kernel); });
            // The first turn warms up, and tells the error.
            if (turn == 0)
                row.rmse = errorOf(made_THWC, exact_THWC);
            else
                row.seconds.push_back(seconds);
            if (progress) progress(++done, total);
        }
    return result;
}

nlohmann::json toJson(const FrameConvResult& result) {
    nlohmann::json rows = nlohmann::json::array();
    for (const FrameConvRow& row : result.rows) {
        const double seconds = median(row.seconds);
        rows.push_back({{"kernel", row.kernel},
                        {"ms_p50", 1e3 * seconds},
                        {"ms_min", 1e3 * *std::ranges::min_element(row.seconds)},
                        {"gflops", result.shape.flops() / seconds / 1e9},
                        {"bytes", row.bytes},
                        {"gb_s", static_cast<double>(row.bytes) / seconds / 1e9},
                        {"rmse", row.rmse}});
    }
    const FrameConvShape& shape = result.shape;
    return {{"shape", {shape.frames, shape.rows, shape.columns, shape.channels}},
            {"dtype", result.dtype},
            {"rows", rows}};
}

}  // namespace reelgrid::benchmark
