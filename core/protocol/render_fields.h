#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/attention_policy.h"
#include "core/protocol/step_cache.h"

namespace reelgrid::protocol {

/// A field that has its value, beside std::optional, which may not.
template <class T>
using Given = T;

/// What --fp32-precision takes, by PyTorch's names (torch.backends.fp32_precision).
inline constexpr const char* kIeee = "ieee";  ///< products of fp32 as they are written
inline constexpr const char* kTf32 = "tf32";  ///< factors rounded to TensorFloat-32's 10 bits

/// What --vae-tiling takes.
inline constexpr const char* kTilingAuto = "auto";  ///< only where the whole picture doesn't fit in memory
inline constexpr const char* kTilingOn = "on";
inline constexpr const char* kTilingOff = "off";
/// What --offload takes: where the model's blocks lie while they aren't needed.
inline constexpr const char* kOffloadAuto = "auto";  ///< in host memory, where the device hasn't room
inline constexpr const char* kOffloadNone = "none";
inline constexpr const char* kOffloadBlocks = "blocks";
/// What --picture-fit takes: what becomes of a picture of another shape than the clip's.
inline constexpr const char* kKeepShape = "keep";          ///< the clip gets the picture's shape at its area
inline constexpr const char* kCropPicture = "crop";        ///< its middle is kept
inline constexpr const char* kStretchPicture = "stretch";  ///< each side by itself
/// What --keep-frames takes: what is kept of the frames beside the clip.
inline constexpr const char* kKeepLossless = "lossless";  ///< frames.mkv, what comparing reads
inline constexpr const char* kKeepOff = "off";
/// What --context-weights takes: how much the frames of a window count where windows overlap.
inline constexpr const char* kPyramidWeights = "pyramid";  ///< most in its middle
inline constexpr const char* kFlatWeights = "flat";
/// What --context-noise takes: the noise of frames beyond the first window.
inline constexpr const char* kShuffledNoise = "shuffle";  ///< that of earlier ones in another order
inline constexpr const char* kRandomNoise = "random";
/// Edge of a tile where nothing else is asked for.
inline constexpr int kTilePixels = 256;
/// What --linear takes beside the name of the dtype: what linear layers multiply.
inline constexpr const char* kLinearAuto = "auto";  ///< int8 where the checkpoint stores that, else the dtype
inline constexpr const char* kLinearInt8 = "int8";
inline constexpr const char* kLinearFp8 = "fp8";
/// Share of the key blocks that sparse-linear attention keeps where nothing else is asked for, as upstream's.
inline constexpr double kSlaTopk = 0.1;

/// Every choice of a render, declared once. In a request `Maybe` is std::optional: what is absent takes the
/// model's own default. In resolved settings and in a model's defaults it is Given. A new choice is a member
/// here and a row in forEachRenderField() (a test counts both).
template <template <class> class Maybe>
struct RenderFields {
    Maybe<std::string> task{};
    std::string prompt{};
    std::optional<std::string> imgFilePath{};      ///< absolute; the picture that the clip begins with
    std::optional<std::string> lastImgFilePath{};  ///< likewise the one that it ends with
    bool forceOutputSize = false;                  ///< pictureFit kCropPicture, which it settles as
    std::string pictureFit = kKeepShape;           ///< kKeepShape, kCropPicture, kStretchPicture
    Maybe<std::string> negativePrompt{};
    Maybe<int> height{};
    Maybe<int> width{};
    Maybe<int> numFrames{};
    Maybe<int> numInferenceSteps{};
    Maybe<double> guidanceScale{};
    std::optional<double> guidanceScale2{};  ///< of the second expert; absent: guidanceScale's, the model's
    Maybe<double> fps{};
    std::optional<std::string> scheduler{};     ///< absent: the checkpoint's
    std::optional<double> flowShift{};          ///< absent: the model's, else the checkpoint's
    std::optional<double> sigmaMax{};           ///< where rCM's sampler starts; absent: the checkpoint's
    std::optional<double> boundary{};           ///< between two experts, of 1; absent: the checkpoint's
    std::optional<std::string> vae{};           ///< file or folder in the place of the model's own
    std::optional<std::string> textEncoder{};   ///< likewise
    std::optional<std::string> transformer2{};  ///< likewise the second expert
    /// LoRAs (lora_choice.h), by absolute files; the second expert's, where they aren't the same.
    std::vector<std::string> lora{}, lora2{};
    std::uint64_t seed = 42;
    int numRepetitions = 1;
    Maybe<std::string> device{};  ///< "cpu", "cuda", "cuda:N", "xpu", "hip"; default: a GPU with room
    Maybe<std::string> dtype{};   ///< "fp32", "bf16", "fp16"; default: fastest at equal quality on the device
    Maybe<std::string> vaeDtype{};                 ///< the same of the VAE; default: fp32, or dtype
    Maybe<std::string> vaeTiling{};                ///< kTilingAuto (default), kTilingOn, kTilingOff
    Maybe<int> vaeTilePx{};                        ///< edge of a tile; default: kTilePixels
    std::string fp32Precision = kIeee;             ///< kIeee or kTf32: how a GPU multiplies fp32
    Maybe<std::string> generator{};                ///< "cpu", "cuda": whose random numbers the noise is
    bool useTorchCompile = false;                  ///< a step's passes as CUDA graphs
    std::string linear = kLinearAuto;              ///< resolved: kLinearInt8, kLinearFp8 or the dtype
    bool useFp8Gemms = false;                      ///< products of the transformer's linear layers in e4m3
    bool useBf16TeGemms = false;                   ///< products of the time embedding in bf16
    StepCache stepCache{};                         ///< what stands for blocks, and when; none by itself
    std::string offload = kOffloadAuto;            ///< kOffloadAuto, kOffloadNone, kOffloadBlocks
    int saveLatentsEvery = 5;                      ///< steps between two that can be resumed from; 0: none
    std::string keepFrames = kKeepLossless;        ///< kKeepLossless, kKeepOff
    bool useDynamicCfg = false;                    ///< CogVideoX: guidance that grows with the steps
    std::optional<std::string> motionAdapter{};    ///< of the model; absent: what its folder has
    std::vector<std::string> motionAdapterSkip{};  ///< blocks that go without: "up1"
    int clipSkip = 0;                              ///< last layers of CLIP that are left out
    std::optional<double> temporalAlpha{};  ///< how strongly frames see each other; absent: the model's
    std::optional<int> contextFrames{};     ///< that see each other at once; absent: the model's choice
    int contextStride = 4;                  ///< frames from one such window to the next
    std::string contextWeights = kPyramidWeights;  ///< kPyramidWeights, kFlatWeights
    std::string contextNoise = kShuffledNoise;     ///< kShuffledNoise, kRandomNoise
    bool loop = false;                             ///< windows reach over the clip's end into its beginning
    std::string promptTravel{};                    ///< prompts at frames (prompt_travel.h)
    int framesTogether = 0;                        ///< frames that go through image layers at once; 0: all
    std::optional<std::string> chainFrom{};        ///< absolute; latents that the clip goes on from
    std::optional<std::string> chainSave{};        ///< absolute; where its own are kept for another
    double chainAlpha = 0.6;                       ///< share of the steps that hold the first frame to them
    int freeInit = 0;  ///< times that a clip is denoised by FreeInit; 0: once, without
    /// What further text encoders are given; absent: the prompt, the negative prompt.
    std::optional<std::string> prompt2{}, prompt3{}, negativePrompt2{}, negativePrompt3{};
    std::optional<int> maxSequenceLength{};       ///< tokens of T5; absent: the model's
    std::optional<std::string> temporalModule{};  ///< of the model; absent: what its folder has
    std::string skipGuidanceLayers{};  ///< "7-9": that a further pass leaves out; empty: there is none
    double skipLayerGuidanceScale = 2.8;
    double skipLayerGuidanceStart = 0.01, skipLayerGuidanceStop = 0.2;  ///< of the steps
    /// Stable Video Diffusion; absent: the model's.
    std::optional<int> motionBucketId{};       ///< how much moves
    std::optional<double> noiseAugStrength{};  ///< of the noise on the picture
    std::optional<double> minGuidanceScale{};  ///< guidance at the first frame
    std::optional<double> maxGuidanceScale{};  ///< at the last one
    std::optional<int> decodeChunkSize{};      ///< frames that are decoded together
    std::optional<std::string> recipe{};       ///< whose values stand where the request said nothing, by name
    /// Ranks that share a render (core/parallel/degrees.h); absent: 1.
    std::optional<int> ulyssesDegree{}, ringDegree{}, cfgParallel{};
    bool shardWeights = false;  ///< each of them holds one part of the blocks' weights
    std::string attentionType = kReferenceBackend;
    double slaTopk = kSlaTopk;                   ///< share of the key blocks that sla and sagesla keep
    std::vector<std::string> backendOption{};    ///< parameters of backends (backend_option.h)
    AttentionPolicy attentionPolicy{};           ///< empty: the attention type alone decides
    std::optional<std::string> profileOutput{};  ///< a trace's name, or a folder; absent: not profiled
    std::optional<int> profileWait{};            ///< denoising steps, as torch.profiler.schedule counts them
    std::optional<int> profileWarmup{};
    std::optional<int> profileActive{};
    std::vector<std::string> lockstep{};  ///< backends whose errors are measured on this render's latents
    bool saveInputs = false;              ///< of attention, as files for bench attention and PyTorch
    std::string inputDir{};  ///< absolute folder of those files; empty: captures/ beside the clip's files
    int maxCaptures = 10;    ///< 0: all
    std::string captureModule = "self";           ///< a kind's name, or "all"
    std::string captureLayers{}, captureSteps{};  ///< "0,5-9"; empty: all
    double maxCaptureGib = 32;                    ///< 0: no limit

    bool operator==(const RenderFields&) const = default;
};

/// What two renders that differ in a field differ in: the picture that is wanted, how attention computes it,
/// which of attention's inputs are saved, or none of these.
enum class Decides { Picture, Attention, Captures, Nothing };

/// The values that a number may have, both ends included unless said otherwise.
struct ValueRange {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    enum class LeastIs { Allowed, TooLittle } leastIs = LeastIs::Allowed;

    [[nodiscard]] bool contains(double value) const {
        return leastIs == LeastIs::Allowed ? value >= least && value <= most : value > least && value <= most;
    }
    /// "a value from 1 to 240"
    [[nodiscard]] std::string words() const;
};

/// What is said of a field wherever it appears.
struct RenderField {
    const char* key;   ///< in JSON; with dashes, the command line's option
    std::string help;  ///< one line of --help
    Decides decides = Decides::Picture;
    ValueRange range = {};       ///< of numbers; sizes and frame counts also follow the model's rules
    std::size_t maxBytes = 256;  ///< of text
    /// Families that have a use for it name it (families::ModelInfo::extraFields); for others giving it is an
    /// error.
    enum class For { EveryFamily, SomeFamilies } families = For::EveryFamily;
    /// Of text that may be absent: it names a further source of the model (folder, file or hub id), whose
    /// component in the model has the field's key (families::ModelPart).
    bool isModelPart = false;
};

/// "--num-frames"
std::string optionOf(const RenderField& field);

/// The table: calls `visit(field, access)` for each choice of a render, where access(fields) is the member in
/// any RenderFields. JSON, checks, the manifest, the command line and the reference key all go through here.
template <class Visit>
void forEachRenderField(Visit&& visit) {
    constexpr std::size_t kPromptBytes = 64 << 10, kPathBytes = 4096;
    constexpr double kCount = 1000;
    visit(
        RenderField{.key = "prompt",
                    .help = "What to render (the demo model has a default)",
                    .maxBytes = kPromptBytes},
        [](auto& fields) -> auto& { return fields.prompt; });
    visit(
        RenderField{.key = "img_file_path",
                    .help = "The picture that the clip begins with: PNG, JPEG or WebP (i2v, ti2v)",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.imgFilePath; });
    visit(
        RenderField{.key = "last_img_file_path",
                    .help = "The picture that it ends with, where the model takes one",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.lastImgFilePath; });
    visit(
        RenderField{.key = "force_output_size",
                    .help = "--picture-fit crop",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.forceOutputSize; });
    visit(
        RenderField{.key = "picture_fit",
                    .help = "A picture of another shape: keep (the clip gets its shape, with the area of "
                            "width x height), crop (its middle is kept), stretch (default: keep)",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.pictureFit; });
    visit(
        RenderField{.key = "negative_prompt",
                    .help = "What to steer away from",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.negativePrompt; });
    visit(
        RenderField{.key = "task", .help = "t2v, i2v or ti2v (default: the model's)"},
        [](auto& fields) -> auto& { return fields.task; });
    visit(
        RenderField{.key = "height", .help = "Pixels (default: the model's)", .range = {.least = 1}},
        [](auto& fields) -> auto& { return fields.height; });
    visit(
        RenderField{.key = "width", .help = "Pixels (default: the model's)", .range = {.least = 1}},
        [](auto& fields) -> auto& { return fields.width; });
    visit(
        RenderField{.key = "num_frames", .help = "Frames (default: the model's)", .range = {.least = 1}},
        [](auto& fields) -> auto& { return fields.numFrames; });
    visit(
        RenderField{.key = "num_inference_steps",
                    .help = "Denoising steps (default: the model's)",
                    .range = {.least = 1, .most = kCount}},
        [](auto& fields) -> auto& { return fields.numInferenceSteps; });
    visit(
        RenderField{.key = "guidance_scale",
                    .help = "Classifier-free guidance (default: the model's)",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.guidanceScale; });
    visit(
        RenderField{.key = "guidance_scale_2",
                    .help = "The same in the low-noise steps of a model with two experts (default: "
                            "--guidance-scale's, else the model's)",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.guidanceScale2; });
    visit(
        RenderField{.key = "fps",
                    .help = "Frames per second of the clip (default: the model's)",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = 240}},
        [](auto& fields) -> auto& { return fields.fps; });
    visit(
        RenderField{.key = "scheduler",
                    .help = "Sampler, one of the family's (default: the checkpoint's)",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.scheduler; });
    visit(
        RenderField{.key = "flow_shift",
                    .help = "Timestep shift (default: the model's, else the checkpoint's)",
                    .range = {.least = 0.001, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.flowShift; });
    visit(
        RenderField{.key = "sigma_max",
                    .help = "Noise level that rcm and rcm-ode start from, such as 80 or 1600 (default: the "
                            "checkpoint's)",
                    .range = {.least = 0, .most = 1e6, .leastIs = ValueRange::LeastIs::TooLittle},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.sigmaMax; });
    visit(
        RenderField{.key = "boundary",
                    .help = "Share of the timesteps below which the second expert predicts (default: the "
                            "checkpoint's)",
                    .range = {.least = 0, .most = 1},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.boundary; });
    visit(
        RenderField{.key = "vae",
                    .help = "File or folder of another VAE (default: the model's, or one found beside it)",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies,
                    .isModelPart = true},
        [](auto& fields) -> auto& { return fields.vae; });
    visit(
        RenderField{.key = "text_encoder",
                    .help = "The same of the text encoder",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies,
                    .isModelPart = true},
        [](auto& fields) -> auto& { return fields.textEncoder; });
    visit(
        RenderField{.key = "transformer_2",
                    .help = "File of the second expert, which predicts in the low-noise steps",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies,
                    .isModelPart = true},
        [](auto& fields) -> auto& { return fields.transformer2; });
    visit(
        RenderField{
            .key = "lora",
            .help = "LoRAs to merge in: FILE.safetensors or FILE.safetensors:SCALE, separated by commas",
            .maxBytes = kPathBytes,
            .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.lora; });
    visit(
        RenderField{.key = "lora_2",
                    .help = "Those of the second expert, where a model has two (default: the same)",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.lora2; });
    visit(
        RenderField{.key = "seed", .help = "Seed of the initial noise"},
        [](auto& fields) -> auto& { return fields.seed; });
    visit(
        RenderField{.key = "num_repetitions",
                    .help = "Render so many times, for timing",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = kCount}},
        [](auto& fields) -> auto& { return fields.numRepetitions; });
    visit(
        RenderField{.key = "device",
                    .help = "cpu, cuda or cuda:N; xpu or hip where libtorch was built for it (default: a GPU "
                            "with room for the model, else cpu)"},
        [](auto& fields) -> auto& { return fields.device; });
    visit(
        RenderField{.key = "dtype", .help = "fp32, bf16 or fp16 (default: the fastest at equal quality)"},
        [](auto& fields) -> auto& { return fields.dtype; });
    visit(
        RenderField{.key = "vae_dtype",
                    .help = "The same of the VAE (default: fp32, or what its authors decode in)"},
        [](auto& fields) -> auto& { return fields.vaeDtype; });
    visit(
        RenderField{.key = "vae_tiling",
                    .help = "Decode in overlapping tiles, which takes less memory: auto (where the whole "
                            "doesn't fit), on, off (default: auto)",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.vaeTiling; });
    visit(
        RenderField{.key = "vae_tile_px",
                    .help = "Pixels along an edge of a tile (default: 256)",
                    .range = {.least = 64, .most = 16384},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.vaeTilePx; });
    visit(
        RenderField{.key = "fp32_precision",
                    .help = "Products of fp32 on a GPU: ieee, or tf32 (faster, 10 bits)"},
        [](auto& fields) -> auto& { return fields.fp32Precision; });
    visit(
        RenderField{.key = "generator",
                    .help = "Whose random numbers: cpu (the same picture on every device) or cuda (default: "
                            "the model's)"},
        [](auto& fields) -> auto& { return fields.generator; });
    visit(
        RenderField{.key = "use_torch_compile",
                    .help = "On a GPU: each denoising pass as one CUDA graph (what it means here)",
                    .decides = Decides::Nothing},
        [](auto& fields) -> auto& { return fields.useTorchCompile; });
    visit(
        RenderField{.key = "linear",
                    .help =
                        "Products of linear layers: int8 (weights and tokens in blocks of 128), fp8, or as "
                        "--dtype says by its name (default: auto, int8 where the checkpoint stores that)",
                    .decides = Decides::Attention,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.linear; });
    visit(
        RenderField{.key = "use_fp8_gemms",
                    .help = "--linear fp8",
                    .decides = Decides::Attention,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.useFp8Gemms; });
    visit(
        RenderField{.key = "use_bf16_te_gemms",
                    .help = "Products of the time embedding in bf16 (default: as --dtype says)",
                    .decides = Decides::Attention,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.useBf16TeGemms; });
    visit(
        RenderField{.key = "step_cache",
                    .help =
                        "Leave blocks of passes out that hardly change: T (the first block's changes add "
                        "up to less than this share, such as 0.28), teacache:T, magcache:T[:SKIPS[:WHOLE]], "
                        "taylorseer:N[:ORDER]; teacache:T@FILE with coefficients of tune --step-cache record "
                        "(default: 0, never)",
                    .decides = Decides::Attention,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.stepCache; });
    visit(
        RenderField{.key = "offload",
                    .help = "Keep the model's blocks in host memory: auto (where the device hasn't room), "
                            "none, blocks (default: auto)",
                    .decides = Decides::Nothing,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.offload; });
    visit(
        RenderField{.key = "save_latents_every",
                    .help = "Steps between two that --resume can go on from; 0: none (default: 5)",
                    .decides = Decides::Nothing,
                    .range = {.least = 0, .most = kCount}},
        [](auto& fields) -> auto& { return fields.saveLatentsEvery; });
    visit(
        RenderField{.key = "keep_frames",
                    .help = "Keep the frames beside the clip as they were computed, for comparing: lossless "
                            "(about half of width × height × 3 bytes a frame) or off (default: lossless)",
                    .decides = Decides::Nothing},
        [](auto& fields) -> auto& { return fields.keepFrames; });
    visit(
        RenderField{.key = "use_dynamic_cfg",
                    .help = "Guidance that grows with the steps",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.useDynamicCfg; });
    visit(
        RenderField{.key = "motion_adapter",
                    .help = "Motion modules for an image model: a folder, a file or a hub id (default: what "
                            "the model's folder has)",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies,
                    .isModelPart = true},
        [](auto& fields) -> auto& { return fields.motionAdapter; });
    visit(
        RenderField{.key = "motion_adapter_skip",
                    .help = "Blocks that go without them: down0, mid, up1, …, separated by commas",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.motionAdapterSkip; });
    visit(
        RenderField{.key = "clip_skip",
                    .help = "Last layers of the text encoder that are left out",
                    .range = {.least = 0, .most = 1023},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.clipSkip; });
    visit(
        RenderField{.key = "temporal_alpha",
                    .help = "How strongly frames see each other; 0: not at all (default: the model's)",
                    .range = {.least = 0, .most = 10},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.temporalAlpha; });
    visit(
        RenderField{.key = "context_frames",
                    .help = "Frames that see each other at once, in windows that overlap (default: all; 16 "
                            "in clips that have more frames than the model has positions)",
                    .range = {.least = 2, .most = 1024},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.contextFrames; });
    visit(
        RenderField{.key = "context_stride",
                    .help = "Frames from one window to the next",
                    .range = {.least = 1, .most = 1024},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.contextStride; });
    visit(
        RenderField{.key = "context_weights",
                    .help = "What frames count where windows overlap: pyramid (most in a window's middle) or "
                            "flat",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.contextWeights; });
    visit(
        RenderField{.key = "context_noise",
                    .help = "Noise of frames beyond the first window: shuffle (FreeNoise: that of earlier "
                            "ones) or random",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.contextNoise; });
    visit(
        RenderField{.key = "loop",
                    .help = "A clip whose end leads to its beginning: windows reach over it",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.loop; });
    visit(
        RenderField{.key = "prompt_travel",
                    .help = "Prompts at later frames, blended between: 'FRAME: PROMPT | FRAME: PROMPT'",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.promptTravel; });
    visit(
        RenderField{.key = "free_init",
                    .help = "Denoise so many times, each from the low frequencies of the last (FreeInit, "
                            "usually 3); 0: once, as ever",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.freeInit; });
    visit(
        RenderField{.key = "frames_together",
                    .help =
                        "Frames that go through the image model's layers at once: fewer take less memory, 1 "
                        "is frame by frame; 0: all",
                    .range = {.least = 0, .most = 1024},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.framesTogether; });
    visit(
        RenderField{.key = "chain_from",
                    .help = "Go on from another clip's last frame: that clip, or its latents",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.chainFrom; });
    visit(
        RenderField{.key = "chain_save",
                    .help = "Keep the latents in a .safetensors file of their own, for --chain-from",
                    .decides = Decides::Nothing,
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.chainSave; });
    visit(
        RenderField{.key = "chain_alpha",
                    .help = "Share of the steps in which the first frame is held to that of --chain-from",
                    .range = {.least = 0, .most = 1},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.chainAlpha; });
    visit(
        RenderField{.key = "prompt_2",
                    .help = "What the second text encoder is given (default: the prompt)",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.prompt2; });
    visit(
        RenderField{.key = "prompt_3",
                    .help = "What the third text encoder, T5, is given (default: the prompt)",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.prompt3; });
    visit(
        RenderField{.key = "negative_prompt_2",
                    .help = "The same to steer away from (default: the negative prompt)",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.negativePrompt2; });
    visit(
        RenderField{.key = "negative_prompt_3",
                    .help = "The same of T5 (default: the negative prompt)",
                    .maxBytes = kPromptBytes,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.negativePrompt3; });
    visit(
        RenderField{.key = "max_sequence_length",
                    .help = "Tokens of T5, padding among them (default: the model's)",
                    .range = {.least = 2, .most = 512},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.maxSequenceLength; });
    visit(
        RenderField{.key = "temporal_module",
                    .help =
                        "Attention over frames for an image model's blocks: a folder or a hub id (default: "
                        "what the model's folder has)",
                    .maxBytes = kPathBytes,
                    .families = RenderField::For::SomeFamilies,
                    .isModelPart = true},
        [](auto& fields) -> auto& { return fields.temporalModule; });
    visit(
        RenderField{.key = "skip_guidance_layers",
                    .help = "Skip-layer guidance: steer away from what a pass without these layers predicts, "
                            "such as 7-9",
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.skipGuidanceLayers; });
    visit(
        RenderField{.key = "skip_layer_guidance_scale",
                    .help = "How far (default: 2.8)",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.skipLayerGuidanceScale; });
    visit(
        RenderField{.key = "skip_layer_guidance_start",
                    .help = "After which share of the steps (default: 0.01)",
                    .range = {.least = 0, .most = 1},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.skipLayerGuidanceStart; });
    visit(
        RenderField{.key = "skip_layer_guidance_stop",
                    .help = "And up to which (default: 0.2)",
                    .range = {.least = 0, .most = 1},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.skipLayerGuidanceStop; });
    visit(
        RenderField{.key = "motion_bucket_id",
                    .help = "How much is to move (default: the model's)",
                    .range = {.least = 0, .most = 1023},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.motionBucketId; });
    visit(
        RenderField{.key = "noise_aug_strength",
                    .help = "Noise on the picture: more of it, and the clip keeps less to the picture "
                            "(default: the model's)",
                    .range = {.least = 0, .most = 10},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.noiseAugStrength; });
    visit(
        RenderField{.key = "min_guidance_scale",
                    .help = "Guidance at the first frame (default: the model's)",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.minGuidanceScale; });
    visit(
        RenderField{.key = "max_guidance_scale",
                    .help = "Guidance at the last frame, to which it grows; at most 1: none (default: the "
                            "model's)",
                    .range = {.least = 0, .most = 100},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.maxGuidanceScale; });
    visit(
        RenderField{.key = "decode_chunk_size",
                    .help = "Frames that are decoded together: fewer take less memory (default: the model's)",
                    .range = {.least = 1, .most = kCount},
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.decodeChunkSize; });
    visit(
        RenderField{.key = "recipe",
                    .help = "LoRA, steps, guidance and sampler together, by name or from a .json file; what "
                            "is given beside it counts more",
                    .decides = Decides::Nothing,
                    .maxBytes = kPathBytes},
        [](auto& fields) -> auto& { return fields.recipe; });
    visit(
        RenderField{.key = "ulysses_degree",
                    .help =
                        "Ranks that share a pass's tokens, each with all tokens of some heads in attention "
                        "(default: as many as there are)",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = kCount}},
        [](auto& fields) -> auto& { return fields.ulyssesDegree; });
    visit(
        RenderField{.key = "ring_degree",
                    .help = "Ranks that share a pass's tokens and hand keys and values round (default: 1)",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = kCount}},
        [](auto& fields) -> auto& { return fields.ringDegree; });
    visit(
        RenderField{.key = "cfg_parallel",
                    .help = "2: half of the ranks compute each of guidance's two passes (default: 1)",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = kCount}},
        [](auto& fields) -> auto& { return fields.cfgParallel; });
    visit(
        RenderField{.key = "shard_weights",
                    .help = "Each rank holds one part of the transformer's blocks and gathers each block "
                            "while the one before computes",
                    .decides = Decides::Nothing,
                    .families = RenderField::For::SomeFamilies},
        [](auto& fields) -> auto& { return fields.shardWeights; });
    visit(
        RenderField{
            .key = "attention_type", .help = "Backend of self-attention", .decides = Decides::Attention},
        [](auto& fields) -> auto& { return fields.attentionType; });
    visit(
        RenderField{.key = "sla_topk",
                    .help = "Share of the key blocks that each block of queries keeps in sparse-linear "
                            "attention",
                    .decides = Decides::Attention,
                    .range = {.least = 0, .most = 1, .leastIs = ValueRange::LeastIs::TooLittle}},
        [](auto& fields) -> auto& { return fields.slaTopk; });
    visit(
        RenderField{.key = "backend_option",
                    .help = "A parameter of a backend, NAME.KEY=VALUE (sta.window=3,3,3); may be repeated; "
                            "backends describe NAME says which there are",
                    .decides = Decides::Attention},
        [](auto& fields) -> auto& { return fields.backendOption; });
    visit(
        RenderField{.key = "attention_policy",
                    .help = "A backend per kind of attention, layers, steps and branch",
                    .decides = Decides::Attention},
        [](auto& fields) -> auto& { return fields.attentionPolicy; });
    visit(
        RenderField{.key = "profile_output",
                    .help = "Profile with libtorch: a name (F.files/traces/NAME/) or, with a /, a folder",
                    .decides = Decides::Nothing,
                    .maxBytes = kPathBytes},
        [](auto& fields) -> auto& { return fields.profileOutput; });
    visit(
        RenderField{.key = "profile_wait",
                    .help = "Denoising steps before the profiler starts (default: 2)",
                    .decides = Decides::Nothing,
                    .range = {.least = 0, .most = kCount}},
        [](auto& fields) -> auto& { return fields.profileWait; });
    visit(
        RenderField{.key = "profile_warmup",
                    .help = "Steps with the profiler made ready, not recorded yet (default: 2)",
                    .decides = Decides::Nothing,
                    .range = {.least = 0, .most = kCount}},
        [](auto& fields) -> auto& { return fields.profileWarmup; });
    visit(
        RenderField{.key = "profile_active",
                    .help = "Steps in the trace; the decode counts as one after the last (default: 1)",
                    .decides = Decides::Nothing,
                    .range = {.least = 1, .most = kCount + 1}},
        [](auto& fields) -> auto& { return fields.profileActive; });
    visit(
        RenderField{.key = "lockstep",
                    .help = "Backends, separated by commas: their errors on this clip's own latents",
                    .decides = Decides::Nothing},
        [](auto& fields) -> auto& { return fields.lockstep; });
    visit(
        RenderField{.key = "save_inputs",
                    .help = "Save attention's inputs (q, k, v) as .pt files",
                    .decides = Decides::Captures},
        [](auto& fields) -> auto& { return fields.saveInputs; });
    visit(
        RenderField{.key = "input_dir",
                    .help = "Where to save them (default: captures/ among the clip's files)",
                    .decides = Decides::Captures,
                    .maxBytes = 4096},
        [](auto& fields) -> auto& { return fields.inputDir; });
    visit(
        RenderField{.key = "max_captures",
                    .help = "Calls to save, spread over the render; 0: all",
                    .decides = Decides::Captures,
                    .range = {.least = 0, .most = 1e6}},
        [](auto& fields) -> auto& { return fields.maxCaptures; });
    visit(
        RenderField{.key = "capture_module",
                    .help = "Kind of attention to save: self, cross, joint, temporal or all",
                    .decides = Decides::Captures},
        [](auto& fields) -> auto& { return fields.captureModule; });
    visit(
        RenderField{.key = "capture_layers",
                    .help = "Layers to save from, such as 0,5-9 (default: all)",
                    .decides = Decides::Captures},
        [](auto& fields) -> auto& { return fields.captureLayers; });
    visit(
        RenderField{.key = "capture_steps",
                    .help = "Denoising steps to save from (default: all)",
                    .decides = Decides::Captures},
        [](auto& fields) -> auto& { return fields.captureSteps; });
    visit(
        RenderField{.key = "max_capture_gib",
                    .help = "GiB that they may take together; 0: no limit",
                    .decides = Decides::Captures,
                    .range = {.least = 0, .most = 1e6}},
        [](auto& fields) -> auto& { return fields.maxCaptureGib; });
}

/// Puts captures and traces back to none: for a request that comes from a file, which must
/// not choose what gets written where.
template <template <class> class Maybe>
void forgetFilesToWrite(RenderFields<Maybe>& fields);

/// Every field that is there, by key.
template <template <class> class Maybe>
nlohmann::json fieldsJson(const RenderFields<Maybe>& fields);

/// Everything that decides the wanted picture, as one line of text: equal for two renders whose pictures may
/// be compared frame by frame.
template <template <class> class Maybe>
std::string pictureKey(const RenderFields<Maybe>& fields);

}  // namespace reelgrid::protocol
