#include "core/models/svd/unet.h"

#include <string>

#include "core/base/result.h"
#include "core/execution/trace_range.h"

namespace reelgrid::models::svd {

using unet::PlaceInUnet;

Linear VideoUnet::Loader::embedding(const char* name, const char* layer, std::int64_t in) const {
    return Linear::load(source.weights / name / layer, in, config.timeChannels());
}

VideoUnet::Place VideoUnet::Loader::place(const PlaceInUnet& where) const {
    using Way = PlaceInUnet::Way;
    const vae::LayerSource block = where.blockIn(source);
    const bool hasAttention = where.way == Way::Middle ? !where.isLastOfMiddle()
                                                       : config.blockKinds[where.level] ==
                                                             VideoUnetConfig::BlockKind::CrossAttention;
    // As diffusers has them: blocks on the way up and those with attention on the way down have their own.
    constexpr double kUsualEps = 1e-5, kOwnEps = 1e-6;
    const bool hasOwnEps = where.way == Way::Up || (where.way == Way::Down && hasAttention);
    Place made{{block / "resnets" / where.layer,
                {.in = where.in,
                 .out = where.out,
                 .timeChannels = config.timeChannels(),
                 .normGroups = VideoUnetConfig::kNormGroups,
                 .normEps = hasOwnEps ? kOwnEps : kUsualEps}},
               {},
               unet::Sampler::load(where, block)};
    if (hasAttention)
        made.attention.emplace(block / "attentions" / where.layer,
                               VideoTransformer::Sizes{.channels = where.out,
                                                       .heads = config.heads[where.level],
                                                       .pictureChannels = config.crossAttentionDim,
                                                       .layers = config.transformerLayers},
                               where.number);
    return made;
}

std::unique_ptr<Blocks<VideoUnet::Place>> VideoUnet::Loader::layers(const std::vector<PlaceInUnet>& places,
                                                                    const BlockOptions& options) const {
    const auto load = [loader = *this, places](int i) {
        return loader.place(places[static_cast<std::size_t>(i)]);
    };
    return makeBlocks<Place>(
        {.load = load, .count = static_cast<int>(places.size()), .device = source.weights.device()}, options);
}

VideoUnet::VideoUnet(const VideoUnetConfig& config, const weights::WeightScope& scope,
                     const BlockOptions& blocks)
    : VideoUnet(Loader{config, {scope}}, blocks) {}

VideoUnet::VideoUnet(const Loader& loader, const BlockOptions& blocks)
    : m_config(loader.config),
      m_options(
          at::TensorOptions().dtype(loader.source.weights.dtype()).device(loader.source.weights.device())),
      m_conv_in(loader.source / "conv_in", m_config.inChannels, m_config.blockChannels.front()),
      m_time_embedding_1(loader.embedding("time_embedding", "linear_1", m_config.blockChannels.front())),
      m_time_embedding_2(loader.embedding("time_embedding", "linear_2", m_config.timeChannels())),
      m_add_embedding_1(loader.embedding("add_embedding", "linear_1",
                                         VideoUnetConfig::kAddedNumbers * m_config.additionTimeEmbedDim)),
      m_add_embedding_2(loader.embedding("add_embedding", "linear_2", m_config.timeChannels())),
      m_places(unet::placesOf(m_config.blockChannels, m_config.layersPerBlock)),
      m_layers(loader.layers(m_places, blocks)),
      m_conv_norm_out(loader.source / "conv_norm_out", m_config.blockChannels.front(),
                      VideoUnetConfig::kNormGroups, 1e-5),
      m_conv_out(loader.source / "conv_out", m_config.blockChannels.front(), m_config.outChannels) {}

void VideoUnet::visitBlocks() {
    for (int i = 0; i < m_layers->count(); ++i) (void)m_layers->use(i);
}

/// Waves of the timestep and of the motion's numbers, two products of each; then silu of their sum, with
/// which every residual layer begins.
at::Tensor VideoUnet::embedTime(double timestep, const Motion& motion) const {
    const auto dtype = c10::typeMetaToScalarType(m_options.dtype());
    const auto rounded = [&](double value) {
        // Numbers come in the model's dtype in the reference.
        return at::scalar_tensor(value, at::kFloat).to(dtype).to(at::kDouble).item<double>();
    };
    const at::Tensor time = unet::timeWaves({timestep}, m_config.blockChannels.front()).to(m_options);
    const at::Tensor added =
        unet::timeWaves({rounded(motion.fps), rounded(motion.bucket), rounded(motion.noise)},
                        m_config.additionTimeEmbedDim)
            .flatten()
            .unsqueeze(0)
            .to(m_options);
    return at::silu(m_time_embedding_2(at::silu(m_time_embedding_1(time))) +
                    m_add_embedding_2(at::silu(m_add_embedding_1(added))));
}

void VideoUnet::requireInputs(const at::Tensor& latents, const at::Tensor& picture) const {
    if (latents.dim() != 5 || latents.size(0) != 1 || latents.size(1) != m_config.inChannels ||
        latents.numel() == 0)
        throw Failure(ErrorCode::InvalidData, "latents are " + c10::str(latents.sizes()) + ", [1, " +
                                                  std::to_string(m_config.inChannels) +
                                                  ", frames, height, width] was needed");
    if (picture.dim() != 3 || picture.size(0) != 1 || picture.size(1) < 1 ||
        picture.size(2) != m_config.crossAttentionDim)
        throw Failure(ErrorCode::InvalidData,
                      "the picture is " + c10::str(picture.sizes()) + ", [1, tokens, " +
                          std::to_string(m_config.crossAttentionDim) + "] was needed");
}

at::Tensor VideoUnet::forward(const at::Tensor& latents, const at::Tensor& time_1E, const at::Tensor& picture,
                              const attention::LayerContext& context) const {
    requireInputs(latents, picture);
    const at::Tensor picture_1NX = picture.to(m_options);
    const at::Tensor x_FHWC = latents[0].to(m_options).permute({1, 2, 3, 0}).contiguous();
    const at::Tensor y_FHWC = unet::walk(
        m_places, *m_layers, m_conv_in.forward(x_FHWC),
        [&](std::size_t index, const Place& place, const at::Tensor& given_FHWC) {
            const execution::TraceRange range([&] { return "layer " + std::to_string(index); });
            const at::Tensor made_FHWC = place.resnet.forward(given_FHWC, time_1E);
            return place.attention ? place.attention->forward(made_FHWC, picture_1NX, context) : made_FHWC;
        });
    return m_conv_out.forward(m_conv_norm_out.forwardSilu(y_FHWC)).permute({3, 0, 1, 2}).unsqueeze(0);
}

}  // namespace reelgrid::models::svd
