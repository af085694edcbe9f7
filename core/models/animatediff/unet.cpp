#include "core/models/animatediff/unet.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/execution/trace_range.h"

namespace reelgrid::models::animatediff {

using unet::PlaceInUnet;

bool MotionUnet::hasAttention(const UnetConfig& config, const PlaceInUnet& where) {
    if (where.way == PlaceInUnet::Way::Middle) return !where.isLastOfMiddle();
    return config.blockKinds[where.level] == UnetConfig::BlockKind::CrossAttention;
}

bool MotionUnet::hasMotion(const std::optional<MotionConfig>& motion, const PlaceInUnet& where) {
    if (!motion || where.isLastOfMiddle()) return false;
    return where.way != PlaceInUnet::Way::Middle || motion->midBlock == MotionConfig::MidBlock::Motion;
}

MotionUnet::Place MotionUnet::Loader::place(const PlaceInUnet& where) const {
    const LayerSource block = where.blockIn(image);
    Place made{{block / "resnets" / where.layer,
                {.in = where.in,
                 .out = where.out,
                 .timeChannels = config.timeChannels(),
                 .normGroups = config.normGroups,
                 .normEps = config.normEps}},
               {},
               {},
               unet::Sampler::load(where, block)};
    if (hasAttention(config, where))
        made.attention.emplace(block / "attentions" / where.layer,
                               SpatialTransformer::Sizes{.channels = where.out,
                                                         .heads = config.heads[where.level],
                                                         .textChannels = config.crossAttentionDim,
                                                         .layers = config.transformerLayers,
                                                         .normGroups = config.normGroups,
                                                         .projection = config.tokenProjection},
                               where.number);
    if (hasMotion(motion, where))
        made.motion.emplace(where.blockIn(motionWeights) / "motion_modules" / where.layer,
                            MotionModule::Sizes{.channels = where.out,
                                                .heads = motion->heads[where.level],
                                                .layers = motion->transformerLayers,
                                                .normGroups = config.normGroups,
                                                .maxFrames = motion->maxFrames},
                            where.number);
    return made;
}

std::unique_ptr<Blocks<MotionUnet::Place>> MotionUnet::Loader::layers(const std::vector<PlaceInUnet>& places,
                                                                      const BlockOptions& options) const {
    const auto load = [loader = *this, places](int i) {
        return loader.place(places[static_cast<std::size_t>(i)]);
    };
    return makeBlocks<Place>(
        {.load = load, .count = static_cast<int>(places.size()), .device = image.weights.device()}, options);
}

/// What a forward pass hands to every layer.
struct MotionUnet::Pass {
    at::Tensor time_1E;  ///< silu of the timestep's embedding
    at::Tensor text;
    const attention::LayerContext& context;
};

MotionUnet::MotionUnet(const UnetConfig& config, const weights::WeightScope& image,
                       const std::optional<MotionConfig>& motion, const weights::WeightScope& motionWeights,
                       const MotionOptions& options, const BlockOptions& blocks)
    : MotionUnet(Loader{config, motion, {image}, {motionWeights}}, blocks) {
    move(options);
}

MotionUnet::MotionUnet(const UnetConfig& config, const weights::WeightScope& image)
    : MotionUnet(config, image, std::nullopt, image) {}

MotionUnet::MotionUnet(const Loader& loader, const BlockOptions& blocks)
    : m_config(loader.config),
      m_motion(loader.motion),
      m_options(
          at::TensorOptions().dtype(loader.image.weights.dtype()).device(loader.image.weights.device())),
      m_conv_in(loader.image / "conv_in", m_config.inChannels, m_config.blockChannels.front()),
      m_time_embedding_1(Linear::load(loader.image.weights / "time_embedding" / "linear_1",
                                      m_config.blockChannels.front(), m_config.timeChannels())),
      m_time_embedding_2(Linear::load(loader.image.weights / "time_embedding" / "linear_2",
                                      m_config.timeChannels(), m_config.timeChannels())),
      m_places(unet::placesOf(m_config.blockChannels, m_config.layersPerBlock)),
      m_layers(loader.layers(m_places, blocks)),
      m_conv_norm_out(loader.image / "conv_norm_out", m_config.blockChannels.front(), m_config.normGroups,
                      m_config.normEps),
      m_conv_out(loader.image / "conv_out", m_config.blockChannels.front(), m_config.outChannels) {}

void MotionUnet::requireKnownBlocks(const MotionOptions& options) const {
    std::vector<std::string> known{"mid"};
    for (std::size_t i = 0; i < m_config.blocks(); ++i) {
        known.push_back("down" + std::to_string(i));
        known.push_back("up" + std::to_string(i));
    }
    for (const std::string& block : options.skippedBlocks)
        if (std::ranges::find(known, block) == known.end())
            throw Failure(ErrorCode::BadUsage, "motion_adapter_skip has '" + block +
                                                   "', mid, or down or up and a number from 0 to " +
                                                   std::to_string(m_config.blocks() - 1) + " is needed");
}

void MotionUnet::move(const MotionOptions& options) {
    requireKnownBlocks(options);
    m_manner = options.manner;
    m_framesTogether = options.framesTogether;
    m_manner.framesTogether = options.framesTogether;
    const auto moves = [&](const std::string& block) {
        return std::ranges::find(options.skippedBlocks, block) == options.skippedBlocks.end();
    };
    m_moves.clear();
    for (const PlaceInUnet& where : m_places)
        m_moves.push_back(hasMotion(m_motion, where) && moves(where.blockName()));
}

void MotionUnet::visitBlocks() {
    for (int i = 0; i < m_layers->count(); ++i) (void)m_layers->use(i);
}

/// The timestep's waves and two products; then silu, with which every residual layer begins.
at::Tensor MotionUnet::embedTimestep(double timestep) const {
    const at::Tensor waves = unet::timeWaves({timestep}, m_config.blockChannels.front()).to(m_options);
    return at::silu(m_time_embedding_2(at::silu(m_time_embedding_1(waves))));
}

at::Tensor MotionUnet::throughImageLayers(const Place& place, const at::Tensor& x_FHWC,
                                          const Pass& pass) const {
    const std::int64_t frames = x_FHWC.size(0);
    const std::int64_t most = m_framesTogether > 0 ? std::min(m_framesTogether, frames) : frames;
    std::vector<at::Tensor> made_FHWC;
    for (std::int64_t first = 0; first < frames; first += most) {
        const std::int64_t count = std::min(most, frames - first);
        at::Tensor y_FHWC = place.resnet.forward(x_FHWC.narrow(0, first, count), pass.time_1E);
        if (place.attention) {
            const at::Tensor text = pass.text.size(0) == 1 ? pass.text : pass.text.narrow(0, first, count);
            y_FHWC = place.attention->forward(y_FHWC, text, pass.context);
        }
        made_FHWC.push_back(y_FHWC);
    }
    return made_FHWC.size() == 1 ? made_FHWC.front() : at::cat(made_FHWC);
}

at::Tensor MotionUnet::throughPlace(std::size_t index, const Place& place, const at::Tensor& x_FHWC,
                                    const Pass& pass) const {
    const execution::TraceRange range([&] { return "layer " + std::to_string(index); });
    if (m_places[index].isLastOfMiddle()) return place.resnet.forward(x_FHWC, pass.time_1E);
    at::Tensor y_FHWC = throughImageLayers(place, x_FHWC, pass);
    if (m_moves[index]) y_FHWC = place.motion->forward(y_FHWC, m_manner, pass.context);
    return y_FHWC;
}

void MotionUnet::requireInputs(const at::Tensor& latents, const at::Tensor& text) const {
    if (latents.dim() != 5 || latents.size(0) != 1 || latents.size(1) != m_config.inChannels ||
        latents.numel() == 0)
        throw Failure(ErrorCode::InvalidData, "latents are " + c10::str(latents.sizes()) + ", [1, " +
                                                  std::to_string(m_config.inChannels) +
                                                  ", frames, height, width] was needed");
    const bool fits = text.dim() == 3 && (text.size(0) == 1 || text.size(0) == latents.size(2)) &&
                      text.size(1) > 0 && text.size(2) == m_config.crossAttentionDim;
    if (!fits)
        throw Failure(ErrorCode::InvalidData,
                      "the text is " + c10::str(text.sizes()) + ", [1 or " + std::to_string(latents.size(2)) +
                          ", tokens, " + std::to_string(m_config.crossAttentionDim) + "] was needed");
}

at::Tensor MotionUnet::forward(const at::Tensor& latents, const at::Tensor& time_1E, const at::Tensor& text,
                               const attention::LayerContext& context) const {
    requireInputs(latents, text);
    const Pass pass{time_1E, text.to(m_options), context};
    const at::Tensor x_FHWC = latents[0].to(m_options).permute({1, 2, 3, 0}).contiguous();
    const at::Tensor y_FHWC =
        unet::walk(m_places, *m_layers, m_conv_in.forward(x_FHWC),
                   [&](std::size_t index, const Place& place, const at::Tensor& seen_FHWC) {
                       return throughPlace(index, place, seen_FHWC, pass);
                   });
    return m_conv_out.forward(m_conv_norm_out.forwardSilu(y_FHWC)).permute({3, 0, 1, 2}).unsqueeze(0);
}

}  // namespace reelgrid::models::animatediff
