#include "core/families/wan/kind.h"

#include <algorithm>
#include <cctype>

#include "core/families/model_layout.h"
#include "core/families/wan/config.h"

namespace reelgrid::families::wan {
namespace {

using nlohmann::json;

bool takesPictures(WanKind kind) {
    return kind == WanKind::Image21 || kind == WanKind::TwoPictures21 || kind == WanKind::ImageExperts22;
}

bool hasImageEncoder(WanKind kind) {
    return kind == WanKind::Image21 || kind == WanKind::TwoPictures21;
}

/// sample_shift.
double flowShiftOf(WanKind kind, std::string where) {
    std::ranges::transform(where, where.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    switch (kind) {
        case WanKind::Image21:
            return where.find("480p") == std::string::npos ? 5 : 3;
        case WanKind::TwoPictures21:
            return 16;
        case WanKind::TextExperts22:
            return 12;
        default:
            return 5;
    }
}

/// rCM's sampler with the first noise level of TurboDiffusion's scripts. The flow shift is for other samplers
/// that are asked for.
json rcmScheduler(WanKind kind, double flowShift) {
    return {{"_class_name", "RCMScheduler"}, {"prediction_type", "flow_prediction"},
            {"use_flow_sigmas", true},       {"num_train_timesteps", 1000},
            {"flow_shift", flowShift},       {"sigma_max", takesPictures(kind) ? 200 : 80}};
}

}  // namespace

Result<WanKind> wanKindOf(const json& transformer, WanTransformers count, const std::string& where) {
    const auto in = transformer.value("in_channels", std::int64_t{16});
    const auto out = transformer.value("out_channels", in);
    const bool seesImage = transformer.contains("image_dim") && !transformer["image_dim"].is_null();
    const bool two = count == WanTransformers::Two;
    constexpr std::int64_t kMaskChannels = 4, kTokenTimesChannels = 48;
    if (in == out && !seesImage) {
        if (two) return WanKind::TextExperts22;
        const bool tokenTimes =
            in == kTokenTimesChannels || transformer.value("model_type", json()) == "ti2v";
        return tokenTimes ? WanKind::TokenTimes22 : WanKind::Text21;
    }
    if (in == 2 * out + kMaskChannels && (two || seesImage)) {
        if (!seesImage) return WanKind::ImageExperts22;
        const bool ofTwo =
            transformer.contains("pos_embed_seq_len") && !transformer["pos_embed_seq_len"].is_null();
        if (!two) return ofTwo ? WanKind::TwoPictures21 : WanKind::Image21;
    }
    return Error{ErrorCode::Unsupported,
                 where + ": a transformer of " + std::to_string(in) + " channels in, " + std::to_string(out) +
                     " out" + (seesImage ? " and a picture's embedding" : "") + (two ? ", one of two," : "") +
                     " is of none of Wan's text-, image- and text-or-image-to-video models (an expert of "
                     "Wan 2.2 A14B has \"high_noise\" or \"low_noise\" in its name)"};
}

ModelLayout layoutOf(WanKind kind, const json& transformer, const std::string& where) {
    ModelLayout layout;
    layout.index = {{"_class_name", takesPictures(kind) ? "WanImageToVideoPipeline" : "WanPipeline"},
                    {"transformer", {"wan", "WanModel"}},
                    {"text_encoder", {"wan", "T5EncoderModel"}},
                    {"vae", {"wan", kind == WanKind::TokenTimes22 ? "Wan2_2_VAE" : "WanVAE"}},
                    {"tokenizer", {"wan", "HuggingfaceTokenizer"}},
                    {"scheduler", {"wan", "FlowUniPCMultistepScheduler"}}};
    layout.configs["transformer"] = transformer;
    layout.configs["vae"] = json::object();
    layout.configs["scheduler"] = {{"_class_name", "UniPCMultistepScheduler"},
                                   {"prediction_type", "flow_prediction"},
                                   {"use_flow_sigmas", true},
                                   {"num_train_timesteps", 1000},
                                   {"flow_shift", flowShiftOf(kind, where)}};
    if (isDistilled(transformer)) layout.configs["scheduler"] = rcmScheduler(kind, flowShiftOf(kind, where));
    if (hasImageEncoder(kind)) {
        layout.index["image_encoder"] = {"wan", "CLIPModel"};
        layout.index["image_processor"] = {"wan", "CLIPModel"};
    }
    if (kind == WanKind::TokenTimes22) {
        layout.index["expand_timesteps"] = true;
        layout.configs["vae"] = {{"scale_factor_spatial", 16}, {"scale_factor_temporal", 4}};
    }
    if (kind == WanKind::TextExperts22 || kind == WanKind::ImageExperts22) {
        layout.index["transformer_2"] = {"wan", "WanModel"};
        layout.index["boundary_ratio"] = takesPictures(kind) ? 0.9 : 0.875;
    }
    return layout;
}

}  // namespace reelgrid::families::wan
