#include "core/catalog/render_settings.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <type_traits>

#include "core/base/number_text.h"
#include "core/base/one_line.h"
#include "core/catalog/capture_choice.h"
#include "core/catalog/choice_words.h"
#include "core/catalog/default_dtype.h"
#include "core/catalog/denoising_steps.h"
#include "core/catalog/model_name.h"
#include "core/catalog/own_defaults.h"
#include "core/catalog/policy_check.h"
#include "core/devices/gpu_choice.h"
#include "core/protocol/asked_backends.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::catalog {
namespace {

using protocol::RenderField;

template <class T>
Error wrong(const std::string& option, const T& value, const std::string& needed) {
    std::ostringstream text;
    text << option << " " << value << ": " << needed << " was needed";
    return {ErrorCode::BadUsage, text.str()};
}

/// The request's values, and the model's where it has none.
RenderSettings filled(const protocol::RenderRequest& request, const families::RenderDefaults& defaults) {
    RenderSettings settings;
    protocol::forEachRenderField([&](const RenderField&, auto access) {
        auto& target = access(settings);
        const auto& asked = access(request);
        if constexpr (std::is_same_v<decltype(asked), const std::remove_reference_t<decltype(target)>&>)
            target = asked;
        else
            target = asked.value_or(access(defaults));
    });
    return settings;
}

/// What the table itself says of each value.
class TableCheck {
  public:
    template <class T>
    void check(const RenderField& field, const std::optional<T>& value) {
        if (value) check(field, *value);
    }
    void check(const RenderField& field, const std::string& value) {
        if (value.size() > field.maxBytes)
            fail(wrong(optionOf(field) + " of bytes", value.size(),
                       "at most " + std::to_string(field.maxBytes)));
    }
    void check(const RenderField& field, double value) {
        if (!std::isfinite(value) || !field.range.contains(value))
            fail(wrong(optionOf(field), value, field.range.words()));
    }
    void check(const RenderField& field, int value) {
        if (!field.range.contains(value)) fail(wrong(optionOf(field), value, field.range.words()));
    }
    void check(const RenderField&, std::uint64_t) {}
    void check(const RenderField&, bool) {}
    void check(const RenderField&, const protocol::AttentionPolicy&) {}
    void check(const RenderField& field, const protocol::StepCache& cache) {
        if (const auto problem = problemOf(cache))
            fail({ErrorCode::BadUsage, optionOf(field) + " " + *problem + " was needed"});
    }
    void check(const RenderField&, const std::vector<std::string>&) {}

    std::optional<Error> error;

  private:
    void fail(Error found) {
        if (!error) error = std::move(found);
    }
};

/// About what a render of the model takes at its fullest: the weights and as much again, at most this much,
/// for what it computes. One whose blocks may stay in host memory needs no more than its text encoder and
/// some work, whatever its size.
std::uint64_t roomFor(const families::ModelInfo& model, const RenderSettings& settings) {
    constexpr std::uint64_t kMostWork = std::uint64_t{8} << 30, kMostOffloaded = std::uint64_t{14} << 30;
    const std::uint64_t held = model.bytes() + std::min(model.bytes(), kMostWork);
    const bool offloads = model.takes("offload") && settings.offload != protocol::kOffloadNone;
    return offloads ? std::min(held, kMostOffloaded) : held;
}

/// A field that this family has no use for was given all the same.
std::optional<Error> findUseless(const protocol::RenderRequest& request, const families::ModelInfo& model) {
    std::optional<Error> error;
    const protocol::RenderRequest usual;
    protocol::forEachRenderField([&](const RenderField& field, auto access) {
        const bool given = access(request) != access(usual);
        const bool useless =
            field.families == RenderField::For::SomeFamilies && given && !model.takes(field.key);
        if (useless && !error)
            error = Error{ErrorCode::BadUsage,
                          optionOf(field) + ": " + model.family + " models have no use for it"};
    });
    return error;
}

/// A picture that a task can't do without, or has no use for.
Result<void> checkPicture(const std::string& option, const std::optional<std::string>& path,
                          families::Need need, const RenderSettings& settings,
                          const families::ModelInfo& model) {
    if (path && need == families::Need::No)
        return Error{ErrorCode::BadUsage, option + " " + *path + ": task " + settings.task + " of model " +
                                              model.id + " takes no such picture"};
    if (!path && need == families::Need::Required)
        return Error{ErrorCode::BadUsage,
                     option + " is missing: task " + settings.task + " of model " + model.id + " needs one"};
    if (path && path->empty()) return wrong(option, "\"\"", "a PNG, JPEG or WebP file");
    return {};
}

/// One choice of two spellings.
Result<void> settlePictureFit(RenderSettings& settings, const families::ModelInfo& model) {
    std::string& fit = settings.pictureFit;
    const std::vector<std::string> names{protocol::kKeepShape, protocol::kCropPicture,
                                         protocol::kStretchPicture};
    if (!isAmong(names, fit)) return wrong("--picture-fit", fit, oneOf(names));
    if (settings.forceOutputSize && fit == protocol::kStretchPicture)
        return Error{ErrorCode::BadUsage,
                     "--force-output-size: --picture-fit is stretch, one of the two was needed"};
    const bool byFlag = settings.forceOutputSize;
    const bool isOnlyCut = model.isSizeFixed && settings.imgFilePath && fit == protocol::kKeepShape;
    if (byFlag || isOnlyCut) fit = protocol::kCropPicture;
    settings.forceOutputSize = fit == protocol::kCropPicture;
    if (fit != protocol::kKeepShape && !settings.imgFilePath)
        return Error{ErrorCode::BadUsage,
                     (byFlag ? std::string("--force-output-size") : "--picture-fit " + fit) +
                         ": --img-file-path was needed, without a picture the size is as given"};
    return {};
}

Result<void> checkPictures(const RenderSettings& settings, const families::ModelInfo& model) {
    const families::Task* task = model.task(settings.task);
    if (task == nullptr) return wrong("--task", settings.task, "for this model " + oneOf(model.taskNames()));
    if (task->prompt == families::Need::No && !settings.prompt.empty())
        return Error{ErrorCode::BadUsage, "--prompt: task " + settings.task + " of model " + model.id +
                                              " takes a picture and no prompt"};
    if (auto fits = checkPicture("--img-file-path", settings.imgFilePath, task->image, settings, model);
        !fits)
        return fits;
    if (auto fits =
            checkPicture("--last-img-file-path", settings.lastImgFilePath, task->lastImage, settings, model);
        !fits)
        return fits;
    if (settings.lastImgFilePath && settings.numFrames < 2)
        return wrong("--num-frames", settings.numFrames, "with --last-img-file-path at least 2");
    return {};
}

/// What the model chooses where the request leaves it open, though not every model has it. As in the
/// reference, one guidance scale that is asked for is both experts'.
void settleModelsOwn(RenderSettings& settings, const protocol::RenderRequest& request,
                     const families::ModelInfo& model, const families::RenderDefaults& defaults) {
    if (model.takes("guidance_scale_2") && !settings.guidanceScale2)
        settings.guidanceScale2 = request.guidanceScale ? request.guidanceScale : defaults.guidanceScale2;
    const auto settle = [&](auto field) {
        if (!(settings.*field)) settings.*field = defaults.*field;
    };
    settle(&RenderSettings::flowShift);
    settle(&RenderSettings::temporalAlpha);
    settle(&RenderSettings::maxSequenceLength);
    settle(&RenderSettings::motionBucketId);
    settle(&RenderSettings::noiseAugStrength);
    settle(&RenderSettings::minGuidanceScale);
    settle(&RenderSettings::maxGuidanceScale);
    settle(&RenderSettings::decodeChunkSize);
    // What says whether there is an unconditional pass, as in the reference.
    if (settings.maxGuidanceScale) settings.guidanceScale = *settings.maxGuidanceScale;
}

Result<void> checkAgainstModel(const RenderSettings& settings, const families::ModelInfo& model) {
    if (!model.sizes.allows(settings.width)) return wrong("--width", settings.width, model.sizes.words());
    if (!model.sizes.allows(settings.height)) return wrong("--height", settings.height, model.sizes.words());
    if (model.isSizeFixed)
        for (const auto& [option, side, only] :
             {std::tuple{"--width", settings.width, model.defaults.width},
              std::tuple{"--height", settings.height, model.defaults.height}})
            if (side != only) return wrong(option, side, std::to_string(only) + ", this model's only one,");
    if (!model.frames.allows(settings.numFrames))
        return wrong("--num-frames", settings.numFrames, model.frames.words());
    if (settings.scheduler && !isAmong(model.schedulers, *settings.scheduler))
        return wrong("--scheduler", *settings.scheduler, oneOf(model.schedulers));
    return {};
}

/// What the model's VAE decodes in, one piece or tiles; `auto` is settled where the render runs.
Result<void> settleTiling(RenderSettings& settings, const families::ModelInfo& model) {
    const bool tiles = model.takes("vae_tiling");
    if (settings.vaeTiling.empty()) settings.vaeTiling = tiles ? protocol::kTilingAuto : protocol::kTilingOff;
    if (settings.vaeTilePx == 0) settings.vaeTilePx = protocol::kTilePixels;
    const std::vector<std::string> names{protocol::kTilingAuto, protocol::kTilingOn, protocol::kTilingOff};
    if (!isAmong(names, settings.vaeTiling)) return wrong("--vae-tiling", settings.vaeTiling, oneOf(names));
    if (tiles && settings.vaeTilePx % model.sizes.sizeMultiple != 0)
        return wrong("--vae-tile-px", settings.vaeTilePx,
                     "a multiple of " + std::to_string(model.sizes.sizeMultiple));
    return {};
}

/// A choice that not every device has.
struct DeviceChoice {
    const char* option;
    const std::string& value;
    std::vector<std::string> onCpu, onGpu;
    bool isModels = false;  ///< a default of the model's own file, which has its key for the option
};

/// Another one is to be asked for, by the option or in the model's file, wherever the value came from.
Error wrong(const DeviceChoice& choice, const families::ModelInfo& model, const std::string& needed) {
    const std::string option = choice.option;
    if (!choice.isModels) return wrong(option, choice.value, needed);
    std::string key = option.substr(2);
    std::ranges::replace(key, '-', '_');
    return {ErrorCode::Unsupported, (model.folder / kOwnDefaultsFile).string() + ": " + key + " \"" +
                                        choice.value + "\": " + needed + " was needed; " + option +
                                        " takes its place"};
}

/// After the dtype.
Result<void> settleLinear(RenderSettings& settings, const families::ModelInfo& model) {
    std::string& linear = settings.linear;
    if (settings.useFp8Gemms && linear != protocol::kLinearAuto && linear != protocol::kLinearFp8)
        return Error{ErrorCode::BadUsage,
                     "--use-fp8-gemms: --linear is " + linear + ", one of the two was needed"};
    if (settings.useFp8Gemms) linear = protocol::kLinearFp8;
    if (linear == protocol::kLinearAuto) linear = model.storesInt8 ? protocol::kLinearInt8 : settings.dtype;
    const std::vector<std::string> names{settings.dtype, protocol::kLinearInt8, protocol::kLinearFp8};
    return isAmong(names, linear) ? Result<void>() : wrong("--linear", linear, oneOf(names));
}

/// What is chosen by the device where the request leaves it open, and what the device can't do.
Result<void> settleOnDevice(RenderSettings& settings, const protocol::RenderRequest& request,
                            const families::ModelInfo& model, const machine::Machine& machine) {
    if (settings.device.empty())
        settings.device = devices::defaultDevice(machine.gpus, roomFor(model, settings)).text();
    const auto device = devices::deviceNamed(settings.device);
    if (!device) return device.error();
    if (auto usable = devices::requireUsable(machine.gpus, *device); !usable) return usable.error();
    settings.device = device->text();
    const bool onCpu = device->kind == devices::DeviceKind::Cpu;
    if (settings.dtype.empty()) settings.dtype = onCpu ? defaultDtype(machine.cpu) : model.gpuDtype;
    if (settings.vaeDtype.empty())
        settings.vaeDtype = !onCpu && model.gpuVaeFollowsDtype ? settings.dtype : "fp32";
    const bool onCuda = device->kind == devices::DeviceKind::Cuda;
    if (settings.generator.empty()) settings.generator = onCuda ? model.gpuGenerator : "cpu";

    if (auto settled = settleLinear(settings, model); !settled) return settled;

    // No family has defaults of these: what there is comes from the model's own file.
    const auto isModels = [](const std::optional<std::string>& asked, const std::string& own) {
        return !asked && !own.empty();
    };
    const families::RenderDefaults& own = model.defaults;
    for (const DeviceChoice& choice : {DeviceChoice{"--dtype",
                                                    settings.dtype,
                                                    {"fp32", "bf16"},
                                                    {"fp32", "bf16", "fp16"},
                                                    isModels(request.dtype, own.dtype)},
                                       DeviceChoice{"--vae-dtype",
                                                    settings.vaeDtype,
                                                    {"fp32", "bf16"},
                                                    {"fp32", "bf16", "fp16"},
                                                    isModels(request.vaeDtype, own.vaeDtype)},
                                       DeviceChoice{"--fp32-precision",
                                                    settings.fp32Precision,
                                                    {protocol::kIeee},
                                                    {protocol::kIeee, protocol::kTf32}},
                                       DeviceChoice{"--generator",
                                                    settings.generator,
                                                    {"cpu"},
                                                    {"cpu", "cuda"},
                                                    isModels(request.generator, own.generator)}}) {
        // What a device of another maker takes beyond the CPU's choices is its libtorch's affair.
        const bool isOfCuda = choice.onGpu.back() == "cuda" || choice.onGpu.back() == protocol::kTf32;
        const bool likeCpu = onCpu || (!onCuda && isOfCuda);
        const std::vector<std::string>& names = likeCpu ? choice.onCpu : choice.onGpu;
        if (!isAmong(names, choice.value))
            return wrong(choice, model,
                         (likeCpu ? "on " + (onCpu ? "the CPU" : settings.device) + " " : "") + oneOf(names));
    }
    if (!onCuda && settings.useTorchCompile)
        return Error{ErrorCode::BadUsage,
                     "--use-torch-compile: an NVIDIA GPU was needed, --device is " + settings.device};
    return {};
}

/// Settled where the render runs, by what is free there.
Result<void> checkOffload(const RenderSettings& settings) {
    const std::vector<std::string> names{protocol::kOffloadAuto, protocol::kOffloadNone,
                                         protocol::kOffloadBlocks};
    if (!isAmong(names, settings.offload)) return wrong("--offload", settings.offload, oneOf(names));
    if (settings.offload == protocol::kOffloadBlocks && settings.useTorchCompile)
        return Error{ErrorCode::BadUsage,
                     "--offload blocks: --use-torch-compile replays whole passes as CUDA graphs, which read "
                     "weights where they were; one of the two was needed"};
    return {};
}

Result<void> checkKeptFrames(const RenderSettings& settings) {
    const std::vector<std::string> names{protocol::kKeepLossless, protocol::kKeepOff};
    if (isAmong(names, settings.keepFrames)) return {};
    return wrong("--keep-frames", settings.keepFrames, oneOf(names));
}

/// What torch.profiler.schedule needs to be said, checked against the steps that there are.
Result<void> settleProfile(RenderSettings& settings, int steps) {
    if (!settings.profileOutput) {
        for (const auto& [option, given] : {std::pair{"--profile-wait", settings.profileWait},
                                            std::pair{"--profile-warmup", settings.profileWarmup},
                                            std::pair{"--profile-active", settings.profileActive}})
            if (given)
                return Error{ErrorCode::BadUsage, std::string(option) + " " + std::to_string(*given) +
                                                      ": --profile-output was needed"};
        return {};
    }
    const std::string& output = *settings.profileOutput;
    if (output.empty() || output == "." || output == "..")
        return wrong("--profile-output", "\"" + output + "\"", "a trace's name, or a folder with a / in it,");
    // As in the reference's command line, where the steps are enough for it.
    settings.profileActive = settings.profileActive.value_or(1);
    const auto room = [&](const std::optional<int>& other) {
        return std::max(0, std::min(steps - 1, steps + 1 - *settings.profileActive) - other.value_or(0));
    };
    settings.profileWarmup = settings.profileWarmup.value_or(std::min(2, room(settings.profileWait)));
    settings.profileWait = settings.profileWait.value_or(std::min(2, room(settings.profileWarmup)));
    return {};
}

/// After each of the three is known to be a number that may be added to the others.
Result<void> checkProfile(const RenderSettings& settings, const families::ModelInfo& model) {
    if (!settings.profileOutput) return {};
    const int wait = *settings.profileWait, warmup = *settings.profileWarmup,
              active = *settings.profileActive, steps = denoisingSteps(settings, model);
    // One step has to be recorded; the decode counts as one after the last.
    if (wait + warmup < steps && wait + warmup + active <= steps + 1) return {};
    return Error{ErrorCode::BadUsage, "--profile-wait " + std::to_string(wait) + ", --profile-warmup " +
                                          std::to_string(warmup) + " and --profile-active " +
                                          std::to_string(active) + ": together at most " +
                                          std::to_string(steps) + " steps and the decode, the first two " +
                                          "fewer than the steps, were needed"};
}

/// Layers of the model, and a share of the steps that isn't empty.
Result<void> checkSkippedLayers(const RenderSettings& settings, const families::ModelInfo& model) {
    if (settings.skipGuidanceLayers.empty()) return {};
    const auto layers = protocol::indicesFrom(settings.skipGuidanceLayers, "layer", model.layers);
    if (!layers) return layers.error().in("--skip-guidance-layers");
    if (settings.guidanceScale <= 1)
        return wrong("--skip-guidance-layers " + settings.skipGuidanceLayers + " with --guidance-scale",
                     settings.guidanceScale, "a value above 1");
    return {};
}

/// What several ranks can't do yet, by name.
Result<void> checkRanks(const RenderSettings& settings, const families::ModelInfo& model) {
    const int ulysses = settings.ulyssesDegree.value_or(1), ring = settings.ringDegree.value_or(1),
              cfg = settings.cfgParallel.value_or(1);
    if (cfg > 2) return wrong("--cfg-parallel", cfg, "1 or 2, the passes of a step,");
    if (ulysses * ring * cfg == 1 && settings.shardWeights)
        return Error{ErrorCode::BadUsage,
                     "--shard-weights: one process holds all weights; several ranks (--nproc N, or torchrun, "
                     "srun or mpirun) were needed"};
    if (settings.shardWeights && settings.offload == protocol::kOffloadBlocks)
        return Error{ErrorCode::BadUsage,
                     "--shard-weights: --offload blocks keeps all blocks in host memory; one of the two was "
                     "needed"};
    if (ulysses * ring * cfg == 1) return {};
    const std::string option = ring > 1      ? "--ring-degree " + std::to_string(ring)
                               : ulysses > 1 ? "--ulysses-degree " + std::to_string(ulysses)
                                             : "--cfg-parallel " + std::to_string(cfg);
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::BadUsage, option + ": " + why};
    };
    if (!model.takes("ulysses_degree"))
        return refuse(model.family + " models are rendered by one process; 1 was needed");
    if (ring > 1 && settings.saveInputs)
        return refuse("in a ring no call has all keys, which --save-inputs saves; one of the two was needed");
    if (cfg > 1 && !(settings.guidanceScale > 1))
        return refuse("with --guidance-scale " + significant(settings.guidanceScale, 4) +
                      " a step has one pass; a scale above 1 was needed");
    if (ring * ulysses > 1 && settings.linear == protocol::kLinearInt8)
        return refuse("--linear int8 scales tokens in blocks that ranks would cut; another one was needed");
    if (settings.useTorchCompile)
        return refuse(
            "--use-torch-compile replays whole passes as CUDA graphs, which exchange nothing; one of "
            "the two was needed");
    if (!settings.lockstep.empty()) return refuse("--lockstep is for one process; one of the two was needed");
    return {};
}

/// A manifest holds both, and sessions, --reuse and --resume read them: what they couldn't is refused before
/// anything is rendered.
Result<void> checkReadable(const protocol::RenderRequest& request, const RenderSettings& settings) {
    if (const auto read = protocol::renderRequestFromJson(protocol::toJson(request)); !read)
        return read.error();
    RenderSettings again;
    if (const auto read = protocol::readRenderSettings(protocol::fieldsJson(settings), again); !read)
        return Error{ErrorCode::BadUsage, read.error().message};
    return {};
}

}  // namespace

std::string attentionName(const RenderSettings& settings) {
    return protocol::attentionName(settings);
}

std::uint64_t keptFrameBytes(const RenderSettings& settings) {
    if (settings.keepFrames != protocol::kKeepLossless) return 0;
    // FFV1 leaves 0.2 to 0.5 of the pixels' bytes of what models render.
    return std::uint64_t(settings.width) * std::uint64_t(settings.height) *
           std::uint64_t(settings.numFrames) * 3 / 2;
}

std::string subjectOf(const RenderSettings& settings) {
    if (!settings.prompt.empty() || !settings.imgFilePath) return settings.prompt;
    return std::filesystem::path(*settings.imgFilePath).filename().string();
}

namespace {

const std::vector<double>& ownCurve(const protocol::StepCache& cache, const families::ModelInfo& model) {
    return cache.method == protocol::StepCache::Method::TeaCache ? model.stepCacheCurves.teacache
                                                                 : model.stepCacheCurves.magcache;
}

/// The model's own curve where the request has none; and what a recording can't be beside.
Result<void> settleStepCache(RenderSettings& settings, const families::ModelInfo& model) {
    protocol::StepCache& cache = settings.stepCache;
    const std::string option = "--step-cache " + textOf(cache);
    const int ranks = settings.ulyssesDegree.value_or(1) * settings.ringDegree.value_or(1);
    if (cache.method == protocol::StepCache::Method::Record && ranks > 1)
        return Error{ErrorCode::BadUsage, option + ": each of " + std::to_string(ranks) +
                                              " ranks has its part of the tokens; one rank was needed"};
    if (cache.method == protocol::StepCache::Method::Record && !settings.lockstep.empty())
        return Error{ErrorCode::BadUsage,
                     option + ": --lockstep goes through the steps again; one of the two was needed"};
    if (!cache.needsCurve() || !cache.curve.empty()) return {};
    cache.curve = ownCurve(cache, model);
    if (!cache.curve.empty()) return {};
    return Error{ErrorCode::BadUsage, option + ": no coefficients are published for model " + model.id +
                                          "; a file of tune --step-cache record was needed (" + option +
                                          "@FILE)"};
}

}  // namespace

std::string stepCacheRemark(const RenderSettings& settings, const families::ModelInfo& model) {
    const protocol::StepCache& cache = settings.stepCache;
    if (!cache.needsCurve()) return {};
    const bool isOwn = cache.curveModel.empty() && cache.curve == ownCurve(cache, model);
    const std::string& named = isOwn ? model.stepCacheCurves.model : cache.curveModel;
    if (named.empty() || isNameOf(named, model)) return {};
    return "step cache: " +
           (isOwn ? (model.folder / "step-cache.json").string() + " has coefficients"
                  : std::string("its coefficients are")) +
           " of model " + nameInOneLine(named) + ", this is " + model.id +
           "; unless the two are one, others fit (tune --step-cache record)";
}

Result<RenderSettings> resolveSettings(const protocol::RenderRequest& request,
                                       const families::ModelInfo& model, const machine::Machine& machine) {
    const families::RenderDefaults defaults = model.defaultsWith(request.scheduler);
    RenderSettings settings = filled(request, defaults);
    if (auto fits = checkPictures(settings, model); !fits) return fits.error();
    if (auto settled = settlePictureFit(settings, model); !settled) return settled.error();
    if (auto useless = findUseless(request, model)) return *useless;
    settleModelsOwn(settings, request, model, defaults);
    if (auto fits = checkAgainstModel(settings, model); !fits) return fits.error();
    if (auto fits = settleOnDevice(settings, request, model, machine); !fits) return fits.error();
    if (auto fits = settleProfile(settings, denoisingSteps(settings, model)); !fits) return fits.error();
    if (auto fits = settleTiling(settings, model); !fits) return fits.error();
    if (auto fits = checkOffload(settings); !fits) return fits.error();
    if (auto fits = checkKeptFrames(settings); !fits) return fits.error();
    TableCheck table;
    protocol::forEachRenderField([&](const RenderField& field, auto access) {
        table.check(field,
                    access(request));  // a value that stands for "none" in settings is none in a request
        table.check(field, access(settings));
    });
    if (table.error) return *table.error;
    if (auto fits = checkProfile(settings, model); !fits) return fits.error();
    if (auto fits = checkSkippedLayers(settings, model); !fits) return fits.error();
    if (auto fits = checkPolicy(settings.attentionPolicy, model, denoisingSteps(settings, model), machine);
        !fits)
        return fits.error().in("--attention-policy");
    if (auto fits = checkBackendOptions(settings.backendOption, model, machine); !fits) return fits.error();
    // Those of other backends decide nothing here.
    std::erase_if(settings.backendOption, [asked = askedBackends(settings)](const std::string& text) {
        return !asked.contains(protocol::BackendOptionChoice::from(text).value().backend);
    });
    if (auto fits = checkLockstep(settings, machine); !fits) return fits.error();
    if (settings.stepCache.isOn() && settings.useTorchCompile)
        return Error{ErrorCode::BadUsage,
                     "--step-cache: --use-torch-compile replays whole passes as CUDA graphs; one of the two "
                     "was needed"};
    if (auto settled = settleStepCache(settings, model); !settled) return settled.error();
    if (auto fits = checkRanks(settings, model); !fits) return fits.error();
    if (settings.saveInputs)
        if (auto fits = captureChoice(settings, model); !fits) return fits.error();
    if (auto fits = checkReadable(request, settings); !fits) return fits.error();
    return settings;
}

}  // namespace reelgrid::catalog
