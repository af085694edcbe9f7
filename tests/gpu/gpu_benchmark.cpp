// reelgrid_gpu_benchmark transformer[-int8|-fp8] FOLDER ATTENTION[,ATTENTION…] [HEIGHT WIDTH FRAMES]
// reelgrid_gpu_benchmark residence FOLDER ATTENTION[,ATTENTION…] [HEIGHT WIDTH FRAMES]
// reelgrid_gpu_benchmark cogvideox FOLDER ATTENTION[,ATTENTION…]
// reelgrid_gpu_benchmark vae FOLDER DTYPE[,DTYPE…] [HEIGHT WIDTH FRAMES]
// reelgrid_gpu_benchmark animatediff UNET-FOLDER MOTION-FOLDER ATTENTION[,ATTENTION…]
// reelgrid_gpu_benchmark svd FOLDER ATTENTION[,ATTENTION…]
// reelgrid_gpu_benchmark svd-vae FOLDER CHUNK[,CHUNK…]
// reelgrid_gpu_benchmark sd35[-int8|-fp8] FOLDER ATTENTION[,ATTENTION…]
// reelgrid_gpu_benchmark frame-convs
// reelgrid_gpu_benchmark samplers
// reelgrid_gpu_benchmark kernels
// reelgrid_gpu_benchmark products
// reelgrid_gpu_benchmark ranks … (rank_benchmark.h)
// Times on the first GPU, by its own events: one forward pass in bf16 (-int8, -fp8: with the blocks' linear
// layers so), a pass with blocks held and in host memory, in bf16 and with products in FP8, with predicted
// and measured memory, a guided step of CogVideoX (both passes, 480×720, 49 frames; in fp16 where the
// folder's name has 2b in it), a guided step of AnimateDiff (512×512, 16 frames, fp16), of Stable Video
// Diffusion (576×1024, 14 frames, fp16) and of SD 3.5 (512×512, a frame, bf16) and the decoding of SVD's
// frames, so many at once; the VAE's decoding and encoding (tf32: fp32 with factors rounded to TF32), the
// kernels between the products against the bytes that they must move, linear layers in int8 and FP8 beside
// cuBLAS's in bf16. FOLDER is a diffusers component (tests/gpu/make_checkpoint.py). One JSON line a row on
// stdout.

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "core/attention/graphed_passes.h"
#include "core/attention/make_dispatcher.h"
#include "core/benchmark/conv_benchmark.h"
#include "core/benchmark/sampler_benchmark.h"
#include "core/execution/fp32_precision.h"
#include "core/models/animatediff/unet.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/linear.h"
#include "core/models/layers/norms.h"
#include "core/models/sd35/transformer.h"
#include "core/models/svd/unet.h"
#include "core/models/wan/transformer.h"
#include "core/protocol/render_fields.h"
#include "core/vae/svd/svd_vae.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "kernels/cuda/library.h"
#include "tests/gpu/rank_benchmark.h"

namespace reelgrid {
namespace {

using execution::Execution;

double medianMilliseconds(const Execution& gpu, int repetitions, const std::function<void()>& work) {
    const c10::impl::VirtualGuardImpl guard(gpu.device.type());
    for (int warmUp = 0; warmUp < 2; ++warmUp) work();
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        c10::Event begin(gpu.device.type(), c10::EventFlag::BACKEND_DEFAULT);
        c10::Event end(gpu.device.type(), c10::EventFlag::BACKEND_DEFAULT);
        begin.record(guard.getStream(gpu.device));
        work();
        end.record(guard.getStream(gpu.device));
        end.synchronize();
        times.push_back(begin.elapsedTime(end));
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

double peakGiB(const Execution& gpu) {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto stats = at::accelerator::getDeviceStats(gpu.device.index());
    return static_cast<double>(stats.allocated_bytes[kAll].peak) / (1 << 30);
}

void forgetPeak(const Execution& gpu) {
    at::accelerator::resetPeakStats(gpu.device.index());
}

std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream text(list);
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
    return names;
}

struct Size {
    std::int64_t height = 480, width = 832, frames = 81;
};

std::uint64_t bytesOfFolder(const std::string& folder) {
    std::uint64_t bytes = 0;
    const weights::SafetensorsFolder source(folder);
    for (const auto& path : source.files()) bytes += std::filesystem::file_size(path);
    return bytes;
}

void timeTransformer(const Execution& gpu, const std::string& folder, const std::string& attentions,
                     const Size& size, models::LinearProducts products) {
    using namespace models::wan;
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    const auto start = std::chrono::steady_clock::now();
    weights::SafetensorsFolder source(folder);
    WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device),
                         {.blocks = {.products = products}});
    gpu.synchronise();
    const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
    std::printf("{\"what\": \"load\", \"seconds\": %.3f, \"GB_per_s\": %.2f}\n", loading.count(),
                static_cast<double>(bytesOfFolder(folder)) * 1e-9 / loading.count());

    const auto onGpu = at::TensorOptions().device(gpu.device);
    const at::Tensor latents =
        at::randn({1, config.inChannels, (size.frames - 1) / 4 + 1, size.height / 8, size.width / 8}, onGpu);
    const PreparedText text = model.prepareText(at::randn({1, 512, config.textDim}, onGpu));
    for (const std::string& attention : parts(attentions)) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), gpu).value();
        forgetPeak(gpu);
        const double time = medianMilliseconds(
            gpu, 3, [&] { (void)model.forward(latents, model.embedTimestep(700), text, *dispatcher); });
        const double peak = peakGiB(gpu);
        attention::GraphedPasses graphed(gpu);
        StepEmbedding step = model.embedTimestep(700);
        at::Tensor input = latents;
        std::vector<at::Tensor*> read = step.tensors();
        read.push_back(&input);
        const auto forward = [&] { return model.forward(input, step, text, *dispatcher); };
        const double asGraph =
            medianMilliseconds(gpu, 3, [&] { (void)graphed.run(&text, read, forward, *dispatcher); });
        std::printf(
            "{\"what\": \"forward\", \"attention\": \"%s\", \"used\": \"%s\", \"ms\": %.1f, "
            "\"ms_graph\": %.1f, \"peak_GiB\": %.2f}\n",
            attention.c_str(), dispatcher->records().at(0).used.c_str(), time, asGraph, peak);
        std::fflush(stdout);
    }
}

/// A pass with the weights in each place and products of each kind: what is loaded, once for all backends.
void timeResidence(const Execution& gpu, const std::string& folder, const std::string& attentions,
                   const Size& size) {
    using namespace models;
    using namespace models::wan;
    const auto config = WanTransformerConfig::from(weights::ModelConfig::read(folder));
    // Wan 2.2's TI2V-5B has a VAE of 16 pixels.
    const std::int64_t edge = config.inChannels == 48 ? 16 : 8;
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const std::int64_t frames = (size.frames - 1) / 4 + 1, rows = size.height / edge,
                       columns = size.width / edge;
    const std::int64_t tokens = frames * (rows / config.patchSize[1]) * (columns / config.patchSize[2]),
                       positions = 512;
    at::manual_seed(5);
    const at::Tensor latents = at::randn({1, config.inChannels, frames, rows, columns}, onGpu);
    const at::Tensor prompt = at::randn({1, positions, config.textDim}, onGpu);
    const std::uint64_t inputs = latents.nbytes() + prompt.nbytes();
    std::map<std::string, at::Tensor> exact;
    for (const auto products : {LinearProducts::AsStored, LinearProducts::Fp8})
        for (const auto residence : {BlockResidence::Held, BlockResidence::Windowed}) {
            const TransformerOptions options{.blocks = {.residence = residence, .products = products}};
            forgetPeak(gpu);
            const auto start = std::chrono::steady_clock::now();
            weights::SafetensorsFolder source(folder);
            WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device), options);
            gpu.synchronise();
            const std::chrono::duration<double> loading = std::chrono::steady_clock::now() - start;
            const double loadPeak = peakGiB(gpu);
            const PreparedText text = model.prepareText(prompt);
            const std::uint64_t predicted =
                WanTransformer::weightBytes(config, at::kBFloat16, gpu.device, options.blocks) +
                WanTransformer::textBytes(config, at::kBFloat16, positions) +
                WanTransformer::passBytes(config, at::kBFloat16, tokens) + inputs;
            for (const std::string& attention : parts(attentions)) {
                const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), gpu).value();
                forgetPeak(gpu);
                at::Tensor flow;
                const double time = medianMilliseconds(gpu, 2, [&] {
                    flow = model.forward(latents, model.embedTimestep(700), text, *dispatcher);
                });
                const double peak = peakGiB(gpu);
                const bool isFirst = exact.try_emplace(attention, flow.clone()).second;
                const at::Tensor& reference = exact.at(attention);
                const double error = ((flow - reference).norm() / reference.norm()).item<double>();
                std::printf(
                    "{\"what\": \"residence\", \"blocks\": \"%s\", \"products\": \"%s\", \"attention\": "
                    "\"%s\", \"tokens\": %ld, \"load_s\": %.2f, \"load_peak_GiB\": %.2f, \"ms\": %.1f, "
                    "\"peak_GiB\": %.2f, \"predicted_GiB\": %.2f, \"error\": %.2e%s}\n",
                    residence == BlockResidence::Held ? "held" : "window",
                    products == LinearProducts::Fp8 ? "fp8" : "bf16", attention.c_str(), tokens,
                    loading.count(), loadPeak, time, peak, static_cast<double>(predicted) / (1 << 30), error,
                    isFirst ? ", \"reference\": true" : "");
                std::fflush(stdout);
            }
        }
}

void timeCogVideoX(const Execution& gpu, const std::string& folder, const std::string& attentions) {
    using namespace models::cogvideox;
    const auto dtype = folder.find("2b") != folder.npos ? at::kHalf : at::kBFloat16;
    weights::SafetensorsFolder source(folder);
    const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
    CogVideoXTransformer model(config, weights::WeightScope(source, dtype, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const at::Tensor latents = at::randn({1, config.inChannels, 13, 60, 90}, onGpu);
    const auto randomText = [&] {
        return model.prepareText(at::randn({1, config.maxTextSeqLength, config.textEmbedDim}, onGpu));
    };
    const at::Tensor prompt = randomText(), negative = randomText();
    for (const std::string& attention : parts(attentions)) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), gpu).value();
        forgetPeak(gpu);
        const double time = medianMilliseconds(gpu, 3, [&] {
            const StepEmbedding step = model.embedTimestep(700);
            for (const at::Tensor* text : {&prompt, &negative})
                (void)model.forward(latents, step, *text, *dispatcher);
        });
        const double peak = peakGiB(gpu);
        attention::GraphedPasses graphed(gpu);
        StepEmbedding step = model.embedTimestep(700);
        at::Tensor input = latents;
        std::vector<at::Tensor*> read = step.tensors();
        read.push_back(&input);
        const double asGraph = medianMilliseconds(gpu, 3, [&] {
            for (const at::Tensor* text : {&prompt, &negative})
                (void)graphed.run(
                    text, read, [&] { return model.forward(input, step, *text, *dispatcher); }, *dispatcher);
        });
        std::printf(
            "{\"what\": \"guided forward\", \"attention\": \"%s\", \"used\": \"%s\", \"ms\": %.1f, "
            "\"ms_graph\": %.1f, \"peak_GiB\": %.2f}\n",
            attention.c_str(), dispatcher->records().at(0).used.c_str(), time, asGraph, peak);
        std::fflush(stdout);
    }
}

/// Both passes of a guided step, called and as graphs. `forward(subject)` is a pass of one of `subjects`; it
/// reads what differs between steps through `inputs`.
template <class Subject, class Forward>
void timeGuidedStep(const Execution& gpu, const std::string& attentions, const std::vector<Subject>& subjects,
                    const std::vector<at::Tensor*>& inputs, const Forward& forward) {
    for (const std::string& attention : parts(attentions)) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy(attention), gpu).value();
        forgetPeak(gpu);
        const double time = medianMilliseconds(gpu, 5, [&] {
            for (const Subject& subject : subjects) (void)forward(subject, *dispatcher);
        });
        const double peak = peakGiB(gpu);
        attention::GraphedPasses graphed(gpu);
        const double asGraph = medianMilliseconds(gpu, 7, [&] {
            for (const Subject& subject : subjects)
                (void)graphed.run(
                    &subject, inputs, [&] { return forward(subject, *dispatcher); }, *dispatcher);
        });
        std::string used;
        for (const auto& record : dispatcher->records()) used += (used.empty() ? "" : " ") + record.used;
        std::printf(
            "{\"what\": \"guided forward\", \"attention\": \"%s\", \"used\": \"%s\", \"ms\": %.1f, "
            "\"ms_graph\": %.1f, \"peak_GiB\": %.2f}\n",
            attention.c_str(), used.c_str(), time, asGraph, peak);
        std::fflush(stdout);
    }
}

void timeAnimateDiff(const Execution& gpu, const std::string& image, const std::string& motion,
                     const std::string& attentions) {
    using namespace models::animatediff;
    weights::SafetensorsFolder imageSource(image), motionSource(motion);
    const MotionUnet unet(UnetConfig::from(weights::ModelConfig::read(image)),
                          weights::WeightScope(imageSource, at::kHalf, gpu.device),
                          MotionConfig::from(weights::ModelConfig::read(motion)),
                          weights::WeightScope(motionSource, at::kHalf, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    at::Tensor latents = at::randn({1, 4, 16, 64, 64}, onGpu), time = unet.embedTimestep(700);
    const std::vector<at::Tensor> texts{at::randn({1, 77, 768}, onGpu), at::randn({1, 77, 768}, onGpu)};
    timeGuidedStep(gpu, attentions, texts, {&latents, &time},
                   [&](const at::Tensor& text, attention::Dispatcher& dispatcher) {
                       return unet.forward(latents, time, text, dispatcher);
                   });
}

void timeSvd(const Execution& gpu, const std::string& folder, const std::string& attentions) {
    using namespace models::svd;
    weights::SafetensorsFolder source(folder);
    const auto config = VideoUnetConfig::from(weights::ModelConfig::read(folder));
    const VideoUnet unet(config, weights::WeightScope(source, at::kHalf, gpu.device));
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const VideoUnet::ClipPixels clip{14, 72, 128};
    at::Tensor latents = at::randn({1, 8, clip.frames, clip.rows, clip.columns}, onGpu),
               time = unet.embedTime(1.2, {});
    const std::vector<at::Tensor> pictures{at::randn({1, 1, 1024}, onGpu), at::zeros({1, 1, 1024}, onGpu)};
    std::printf("{\"what\": \"forecast\", \"weights_GiB\": %.2f, \"pass_GiB\": %.2f}\n",
                static_cast<double>(VideoUnet::weightBytes(config, at::kHalf, gpu.device)) / (1 << 30),
                static_cast<double>(VideoUnet::passBytes(config, at::kHalf, clip)) / (1 << 30));
    timeGuidedStep(gpu, attentions, pictures, {&latents, &time},
                   [&](const at::Tensor& picture, attention::Dispatcher& dispatcher) {
                       return unet.forward(latents, time, picture, dispatcher);
                   });
}

void timeSd35(const Execution& gpu, const std::string& folder, const std::string& attentions,
              models::LinearProducts products) {
    using namespace models::sd35;
    weights::SafetensorsFolder source(folder);
    const auto config = Sd35TransformerConfig::from(weights::ModelConfig::read(folder));
    Sd35Transformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device),
                          {.products = products});
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const auto textOf = [&](int pooled) {
        return PreparedText{model.prepareText(at::randn({1, 333, 4096}, onGpu)), pooled};
    };
    const std::vector<PreparedText> texts{textOf(0), textOf(1)};
    at::Tensor latents = at::randn({1, 16, 1, 64, 64}, onGpu);
    StepEmbedding step = model.embedTimestep(700, model.preparePooled(at::randn({2, 2048}, onGpu)));
    std::vector<at::Tensor*> read = step.tensors();
    read.push_back(&latents);
    timeGuidedStep(gpu, attentions, texts, read,
                   [&](const PreparedText& text, attention::Dispatcher& dispatcher) {
                       return model.forward(latents, step, text, dispatcher);
                   });
}

void timeSvdVae(const Execution& gpu, const std::string& folder, const std::string& chunks) {
    using namespace vae::svd;
    weights::SafetensorsFolder source(folder);
    const SvdVae vae(weights::WeightScope(source, at::kHalf, gpu.device),
                     SvdVaeConfig::from(weights::ModelConfig::read(folder)),
                     {.parts = vae::VaeParts::Decoder});
    constexpr std::int64_t kFrames = 14;
    const at::Tensor z = at::randn({4, kFrames, 72, 128}, at::TensorOptions().device(gpu.device));
    for (const std::string& chunk : parts(chunks)) {
        const std::int64_t together = std::stol(chunk);
        forgetPeak(gpu);
        const double time = medianMilliseconds(gpu, 3, [&] {
            for (std::int64_t first = 0; first < kFrames; first += together)
                vae.decodeTo(z.narrow(1, first, std::min(together, kFrames - first)),
                             [](const at::Tensor&) {});
        });
        std::printf(
            "{\"what\": \"svd decode\", \"chunk\": %ld, \"ms\": %.1f, \"peak_GiB\": %.2f, "
            "\"forecast_GiB\": %.2f}\n",
            together, time, peakGiB(gpu),
            static_cast<double>(vae.bytesToDecode({together, 576, 1024}) + vae.weightBytes()) / (1 << 30));
        std::fflush(stdout);
    }
}

/// What `reelgrid-cli bench conv --device cuda` measures.
void timeFrameConvs(const Execution& gpu) {
    for (const auto dtype : {at::kHalf, at::kBFloat16, at::kFloat})
        for (const benchmark::FrameConvShape& shape : benchmark::usualFrameConvs())
            std::printf("%s\n",
                        benchmark::toJson(benchmark::measureFrameConv(shape, {gpu, dtype}, 15, {}, {}))
                            .dump()
                            .c_str());
}

/// What `reelgrid-cli bench sampler` measures, there and here.
void timeSamplers(const Execution& gpu) {
    for (const Execution& where : {gpu, Execution{}})
        for (const benchmark::LatentClip& clip :
             {benchmark::LatentClip{}, benchmark::LatentClip{16, 21, 60, 104}})
            std::printf(
                "{\"what\": \"samplers\", \"device\": \"%s\", \"values\": %ld, \"rows\": %s}\n",
                where.device.str().c_str(), clip.values(),
                benchmark::toJson(benchmark::measureSamplers(clip, where, 15, {}, {})).dump().c_str());
}

void timeVae(const Execution& gpu, const std::string& folder, const std::string& dtypes, const Size& size) {
    using namespace vae::wan21;
    const auto onGpu = at::TensorOptions().device(gpu.device);
    at::manual_seed(3);
    const at::Tensor z =
        at::randn({1, 16, (size.frames - 1) / 4 + 1, size.height / 8, size.width / 8}, onGpu);
    const at::Tensor clip = at::rand({1, 3, size.frames, size.height, size.width}, onGpu) * 2 - 1;
    at::Tensor exact;
    for (const std::string& dtype : parts(dtypes)) {
        execution::setFp32Precision(dtype == "tf32" ? protocol::kTf32 : protocol::kIeee);
        const at::ScalarType type = dtype == "bf16"   ? at::kBFloat16
                                    : dtype == "fp16" ? at::kHalf
                                                      : at::kFloat;
        weights::SafetensorsFolder source(folder);
        const WanVae vae(weights::WeightScope(source, type, gpu.device),
                         WanVaeConfig::from(weights::ModelConfig::read(folder)));
        forgetPeak(gpu);
        const int repetitions = dtype == "fp32" ? 1 : 3;
        const double decoding =
            medianMilliseconds(gpu, repetitions, [&] { (void)decodedClip(vae, z[0], size.frames); });
        const double decodePeak = peakGiB(gpu);
        forgetPeak(gpu);
        const double encoding = medianMilliseconds(gpu, repetitions, [&] { (void)vae.encode(clip[0]); });
        const at::Tensor decoded = decodedClip(vae, z[0], size.frames);
        if (dtype == "fp32") exact = decoded;
        const double psnr =
            exact.defined() ? 10 * std::log10(4 / (decoded - exact).square().mean().item<double>()) : 0;
        std::printf(
            "{\"what\": \"vae\", \"dtype\": \"%s\", \"decode_ms\": %.1f, \"decode_peak_GiB\": %.2f, "
            "\"encode_ms\": %.1f, \"encode_peak_GiB\": %.2f, \"psnr_to_fp32\": %.1f}\n",
            dtype.c_str(), decoding, decodePeak, encoding, peakGiB(gpu), psnr);
        std::fflush(stdout);
    }
}

/// Linear layers in int8, quantising included, beside cuBLAS's in bf16 and libtorch's other bytes.
void timeProducts(const Execution& gpu) {
    namespace cuda = kernels::cuda;
    const auto onGpu = at::TensorOptions().device(gpu.device);
    using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    for (const auto& [rows, in, out] : {Extents{32760, 1536, 8960}, Extents{32760, 8960, 1536},
                                        Extents{32760, 1536, 4608}, Extents{32760, 5120, 13824}}) {
        models::Linear plain{at::randn({out, in}, onGpu).to(at::kBFloat16),
                             at::randn({out}, onGpu).to(at::kBFloat16)};
        models::Linear int8 = plain, fp8 = plain;
        int8.roundToInt8();
        fp8.roundToFp8();
        const at::Tensor x = at::randn({rows, in}, onGpu).to(at::kBFloat16);
        const double operations = 2.0 * static_cast<double>(rows * in) * static_cast<double>(out);
        const std::string shape = std::to_string(rows) + "x" + std::to_string(in) + "x" + std::to_string(out);
        const auto row = [&](const char* what, const std::function<void()>& work) {
            const double time = medianMilliseconds(gpu, 21, work);
            std::printf("{\"what\": \"%s\", \"shape\": \"%s\", \"ms\": %.4f, \"TOP_per_s\": %.1f}\n", what,
                        shape.c_str(), time, operations / time * 1e-9);
        };
        row("linear bf16", [&] { (void)plain(x); });
        row("linear int8", [&] { (void)int8(x); });
        row("linear fp8", [&] { (void)fp8(x); });
        row("linear bf16", [&] { (void)plain(x); });
        const at::Tensor integers = at::empty({rows, in}, onGpu.dtype(at::kChar)),
                         scales = at::empty({(rows + 127) / 128, (in + 127) / 128}, onGpu);
        row("rows to int8", [&] {
            cuda::library()->blocksToInt8({.rows = rows,
                                           .channels = in,
                                           .type = kernels::DataType::BFloat16,
                                           .x = x.data_ptr(),
                                           .out = integers.data_ptr(),
                                           .scales = scales.data_ptr<float>()},
                                          gpu.stream());
        });
        const at::Tensor y = at::empty({rows, out}, onGpu.dtype(at::kBFloat16));
        row("int8 products", [&] {
            cuda::library()->int8Product({.rows = rows,
                                          .inputs = in,
                                          .outputs = out,
                                          .type = kernels::DataType::BFloat16,
                                          .x = integers.data_ptr(),
                                          .xScales = scales.data_ptr<float>(),
                                          .weight = int8.weight.data_ptr(),
                                          .weightScales = int8.blockScales_OK.data_ptr<float>(),
                                          .bias = int8.bias.data_ptr<float>(),
                                          .out = y.data_ptr()},
                                         gpu.stream());
        });
        row("_int_mm", [&] { (void)at::_int_mm(integers, int8.weight.t()); });
        std::fflush(stdout);
    }
}

/// Bytes a second of each kernel beside a plain copy.
void timeKernels(const Execution& gpu) {
    using namespace models;
    const auto onGpu = at::TensorOptions().device(gpu.device);
    const auto bytesPerSecond = [&](const char* what, double bytes, const std::function<void()>& work) {
        const double time = medianMilliseconds(gpu, 15, work);
        std::printf("{\"what\": \"%s\", \"ms\": %.4f, \"TB_per_s\": %.2f}\n", what, time,
                    bytes / time * 1e-9);
    };
    const at::Tensor from = at::randn({1L << 29}, onGpu), to = at::empty_like(from);
    bytesPerSecond("copy", 8.0 * static_cast<double>(from.numel()), [&] { to.copy_(from); });
    for (const std::int64_t c : {1536, 5120}) {
        const std::int64_t n = 32760;
        const auto elements = static_cast<double>(n * c);
        at::Tensor x = at::randn({1, n, c}, onGpu);
        const at::Tensor y = at::randn({1, n, c}, onGpu).to(at::kBFloat16), gate = at::randn({c}, onGpu);
        const NormAffine affine{at::randn({c}, onGpu), at::randn({c}, onGpu), 1e-6};
        const std::string size = std::to_string(c);
        bytesPerSecond(("addThenNorm " + size).c_str(), 12 * elements,
                       [&] { (void)addThenNorm(x, y, gate, affine); });
        bytesPerSecond(("addGated " + size).c_str(), 10 * elements, [&] { addGated(x, y, gate); });
        bytesPerSecond(("normed " + size).c_str(), 6 * elements,
                       [&] { (void)normed(x, affine, at::kBFloat16); });
        wan::RotaryPosEmbed ropes(128, 1024, gpu.device);
        const RopeTable& rope = ropes.forGrid({21, 30, 52});
        at::Tensor q = at::randn({1, n, 3 * c}, onGpu).to(at::kBFloat16).narrow(2, 0, c);
        const auto angles = static_cast<double>(rope.cos_NP.nbytes() + rope.sin_NP.nbytes());
        bytesPerSecond(("rmsNorm + RoPE " + size).c_str(), 4 * elements + angles,
                       [&] { rmsNormInPlace(q, affine.weight_C, 1e-6, &rope); });
    }
    for (const std::int64_t c : {5120, 13824}) {
        const std::int64_t n = 32760;
        const at::Tensor x = at::randn({n, c}, onGpu).to(at::kBFloat16);
        const at::Tensor out = at::empty({n, c}, onGpu.dtype(at::kFloat8_e4m3fn)),
                         scales = at::empty({n}, onGpu.dtype(at::kFloat));
        for (const auto activation : {kernels::cuda::Activation::None, kernels::cuda::Activation::GeluTanh}) {
            const bool gelu = activation == kernels::cuda::Activation::GeluTanh;
            bytesPerSecond(((gelu ? "gelu and rows to FP8 " : "rows to FP8 ") + std::to_string(c)).c_str(),
                           3 * static_cast<double>(n * c), [&] {
                               kernels::cuda::library()->rowsToFp8({.rows = n,
                                                                    .channels = c,
                                                                    .type = kernels::DataType::BFloat16,
                                                                    .x = x.data_ptr(),
                                                                    .activation = activation,
                                                                    .out = out.data_ptr(),
                                                                    .scales = scales.data_ptr<float>()},
                                                                   gpu.stream());
                           });
        }
    }
    for (const auto& [pixels, c] :
         {std::pair{4L * 480 * 832, 96L}, {8L * 240 * 416, 192L}, {8L * 120 * 208, 384L}})
        for (const auto type : {at::kBFloat16, at::kFloat}) {
            const at::Tensor x = at::randn({pixels, c}, onGpu).to(type), scale = at::randn({c}, onGpu);
            const at::Tensor out = at::empty_like(x), bias = at::randn({c}, onGpu).to(type);
            const double bytes = static_cast<double>(x.nbytes());
            const auto kernelType =
                type == at::kFloat ? kernels::DataType::Float32 : kernels::DataType::BFloat16;
            std::string kind = std::to_string(c);
            kind += type == at::kFloat ? " fp32" : " bf16";
            bytesPerSecond(("norm + SiLU " + kind).c_str(), 2 * bytes, [&] {
                kernels::cuda::library()->channelNorm({.pixels = pixels,
                                                       .channels = c,
                                                       .type = kernelType,
                                                       .x = x.data_ptr(),
                                                       .scale = scale.data_ptr<float>(),
                                                       .out = out.data_ptr()},
                                                      gpu.stream());
            });
            bytesPerSecond(("bias + residual " + kind).c_str(), 3 * bytes, [&] {
                kernels::cuda::library()->addBias({.pixels = pixels,
                                                   .channels = c,
                                                   .type = kernelType,
                                                   .y = out.data_ptr(),
                                                   .bias = bias.data_ptr(),
                                                   .residual = x.data_ptr()},
                                                  gpu.stream());
            });
        }
}

int run(const std::vector<std::string>& words) {
    const c10::InferenceMode inference;
    std::string what = words.empty() ? "" : words[0];
    if (what == "ranks") {
        execution::setFp32Precision(protocol::kIeee);
        return benchmarkRanks({words.begin() + 1, words.end()});
    }
    auto products = models::LinearProducts::AsStored;
    for (const std::string base : {"transformer", "sd35"}) {
        if (what == base + "-fp8") products = models::LinearProducts::Fp8;
        if (what == base + "-int8") products = models::LinearProducts::Int8;
        if (what == base + "-fp8" || what == base + "-int8") what = base;
    }
    Size size;
    if (words.size() == 6) size = {std::stol(words[3]), std::stol(words[4]), std::stol(words[5])};
    const bool isSized = words.size() == 3 || words.size() == 6;
    const bool isSingle =
        what == "kernels" || what == "products" || what == "frame-convs" || what == "samplers";
    const bool takesFolder = what == "transformer" || what == "residence" || what == "vae";
    const bool takesOneSize = what == "cogvideox" || what == "svd" || what == "svd-vae" || what == "sd35";
    if (!(isSingle && words.size() == 1) && !(takesOneSize && words.size() == 3) &&
        !(what == "animatediff" && words.size() == 4) && !(takesFolder && isSized)) {
        std::fprintf(
            stderr,
            "reelgrid_gpu_benchmark: transformer, residence, cogvideox, animatediff, svd, svd-vae, "
            "sd35, vae, frame-convs, samplers, kernels, products or ranks was needed (see its source)\n");
        return 2;
    }
    const Execution gpu = execution::executionOn("cuda").value();
    execution::setFp32Precision(protocol::kIeee);
    if (what == "kernels") timeKernels(gpu);
    if (what == "products") timeProducts(gpu);
    if (what == "transformer") timeTransformer(gpu, words[1], words[2], size, products);
    if (what == "residence") timeResidence(gpu, words[1], words[2], size);
    if (what == "cogvideox") timeCogVideoX(gpu, words[1], words[2]);
    if (what == "animatediff") timeAnimateDiff(gpu, words[1], words[2], words[3]);
    if (what == "svd") timeSvd(gpu, words[1], words[2]);
    if (what == "svd-vae") timeSvdVae(gpu, words[1], words[2]);
    if (what == "sd35") timeSd35(gpu, words[1], words[2], products);
    if (what == "frame-convs") timeFrameConvs(gpu);
    if (what == "samplers") timeSamplers(gpu);
    if (what == "vae") timeVae(gpu, words[1], words[2], size);
    return 0;
}

}  // namespace
}  // namespace reelgrid

int main(int count, char** words) {
    try {
        return reelgrid::run({words + 1, words + count});
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "reelgrid_gpu_benchmark: %s\n", failure.what());
        return 1;
    }
}
