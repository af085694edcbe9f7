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
constexpr const char *kLibtorchConv = "libtorch", *kProducts = "products", *kFused = "fused";

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

/// With libtorch's operators, in any dtype: channels come first there.
at::Tensor withOperators(MadeUpLayer& layer, const at::Tensor& x_1CTHW) {
    const std::int64_t channels = x_1CTHW.size(1);
    const auto parameter = [&](const char* name, at::IntArrayRef shape) {
        return layer.require(name, shape).to(x_1CTHW.scalar_type());
    };
    const at::Tensor normed = at::group_norm(x_1CTHW, kGroups, parameter("norm.weight", {channels}),
                                             parameter("norm.bias", {channels}), kEps);
    const std::vector<std::int64_t> ones{1, 1, 1}, around{1, 0, 0};
    return x_1CTHW + at::conv3d(at::silu(normed), parameter("conv.weight", {channels, channels, 3, 1, 1}),
                                parameter("conv.bias", {channels}), ones, around);
}

/// One of our own ways.
struct OwnLayer {
    vae::GroupNorm norm;
    vae::FrameConv conv;

    OwnLayer(MadeUpLayer& layer, vae::ConvEngine engine, std::int64_t channels)
        : norm({weights::WeightScope(layer, at::kFloat) / "norm", engine}, channels, kGroups, kEps),
          conv({weights::WeightScope(layer, at::kFloat) / "conv", engine}, channels, channels) {}

    /// The residual's memory becomes the result's.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, const at::Tensor& residual_THWC) const {
        return conv.forwardNormed(norm, x_THWC, {}, residual_THWC);
    }
};

double errorOf(const at::Tensor& made, const at::Tensor& exact) {
    const at::Tensor difference = made.to(at::kDouble) - exact;
    return std::sqrt(difference.square().mean().item<double>() / exact.var().item<double>());
}

/// Reads and writes of all values, in fp32.
std::int64_t passes(const FrameConvShape& shape, std::int64_t count) {
    return count * shape.values() * static_cast<std::int64_t>(sizeof(float));
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

FrameConvResult measureFrameConv(const FrameConvShape& shape, int repetitions,
                                 const std::function<void(int done, int total)>& progress,
                                 const std::stop_token& stop) {
    const c10::InferenceMode inference;
    MadeUpLayer layer;
    auto generator = at::detail::createCPUGenerator(8);
    const at::Tensor x_THWC = at::randn({shape.frames, shape.rows, shape.columns, shape.channels}, generator);
    const at::Tensor x_1CTHW = channelsFirst(x_THWC).contiguous();
    const OwnLayer products(layer, vae::ConvEngine::Libtorch, shape.channels),
        fused(layer, vae::ConvEngine::Fastest, shape.channels);
    const at::Tensor exact_THWC =
        withOperators(layer, x_1CTHW.to(at::kDouble))[0].permute({1, 2, 3, 0}).contiguous();

    // Passes over memory: norm's sums, norm, silu, convolution and sum read, and the last four write; of the
    // products norm's sums, norm with silu, three products that read one operand and add to the other.
    FrameConvResult result{shape,
                           {{.kernel = kLibtorchConv, .bytes = passes(shape, 2 + 2 + 2 + 3)},
                            {.kernel = kProducts, .bytes = passes(shape, 2 + 2 + 3 * 3 + 2)},
                            {.kernel = kFused, .bytes = passes(shape, 1 + 3)}}};
    const Stopwatch stopwatch({});
    at::Tensor made, residual_THWC = at::empty_like(x_THWC);
    const auto compute = [&](const std::string& kernel) {
        if (kernel == kLibtorchConv)
            made = withOperators(layer, x_1CTHW);
        else
            made = (kernel == kProducts ? products : fused).forward(x_THWC, residual_THWC);
    };
    const int total = (repetitions + 1) * static_cast<int>(result.rows.size());
    int done = 0;
    for (int turn = 0; turn <= repetitions; ++turn)
        for (FrameConvRow& row : result.rows) {
            if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
            residual_THWC.copy_(x_THWC);
            const double seconds = stopwatch.time([&] { compute(row.kernel); });
            // The first turn warms up, and tells the error.
            if (turn == 0)
                row.rmse =
                    errorOf(row.kernel == kLibtorchConv ? made[0].permute({1, 2, 3, 0}) : made, exact_THWC);
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
    return {{"shape", {shape.frames, shape.rows, shape.columns, shape.channels}}, {"rows", rows}};
}

}  // namespace reelgrid::benchmark
