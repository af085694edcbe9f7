#include "app/cli/diffusers_engine.h"

#include <algorithm>
#include <array>
#include <set>

#include "app/cli/temporary_folder.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/denoising/picture_frame.h"
#include "core/denoising/rgb_frames.h"
#include "core/execution/execution.h"
#include "core/families/model_index.h"
#include "core/jobs/program_run.h"
#include "core/media/image.h"
#include "core/media/writer.h"
#include "core/metrics/clip_metrics.h"
#include "core/pipeline/render_forecast.h"
#include "core/plugins/python/python_interpreter.h"
#include "core/protocol/result_paths.h"
#include "core/result/pending_result.h"
#include "core/schedulers/initial_noise.h"
#include "core/schedulers/scheduler_list.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;
/// Prints the versions of what the script imports, none where something is missing.
constexpr const char* kAsksVersions =
    "import importlib.metadata as m, json\n"
    "def v(n):\n"
    " try: return m.version(n)\n"
    " except m.PackageNotFoundError: return None\n"
    "print(json.dumps({n: v(n) for n in "
    "('diffusers','torch','transformers','safetensors','numpy','pillow')}))";

/// Fields that decide the picture and are handed over, or whose value is what diffusers does, too.
const std::set<std::string> kHandedOver{"prompt",
                                        "negative_prompt",
                                        "prompt_2",
                                        "prompt_3",
                                        "negative_prompt_2",
                                        "negative_prompt_3",
                                        "img_file_path",
                                        "last_img_file_path",
                                        "picture_fit",
                                        "force_output_size",
                                        "task",
                                        "height",
                                        "width",
                                        "num_frames",
                                        "num_inference_steps",
                                        "guidance_scale",
                                        "guidance_scale_2",
                                        "fps",
                                        "scheduler",
                                        "flow_shift",
                                        "seed",
                                        "device",
                                        "dtype",
                                        "vae_dtype",
                                        "vae_tiling",
                                        "vae_tile_px",
                                        "fp32_precision",
                                        "generator",
                                        "linear",
                                        "offload",
                                        "use_dynamic_cfg",
                                        "clip_skip",
                                        "max_sequence_length",
                                        "motion_bucket_id",
                                        "noise_aug_strength",
                                        "min_guidance_scale",
                                        "max_guidance_scale",
                                        "decode_chunk_size",
                                        "recipe",
                                        "context_stride",
                                        "context_weights",
                                        "temporal_alpha",
                                        "context_noise",
                                        "chain_alpha",
                                        "skip_layer_guidance_scale",
                                        "skip_layer_guidance_start",
                                        "skip_layer_guidance_stop"};

/// The options of a request that diffusers would know nothing of.
std::string foreignOption(const protocol::RenderRequest& request) {
    const protocol::RenderRequest usual;
    std::string foreign;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if (field.decides != protocol::Decides::Picture || kHandedOver.contains(field.key)) return;
        if (foreign.empty() && !(access(request) == access(usual))) foreign = optionOf(field);
    });
    return foreign;
}

/// The pipeline that renders the request. A model from text or a picture (Wan 2.2 TI2V-5B) names either of
/// the two that it can be run as.
std::string pipelineFor(const json& pipelines, const families::ModelIndex& index,
                        const catalog::RenderSettings& settings) {
    const std::string own = index.pipelineClass();
    if (!index.isOn("expand_timesteps")) return own;
    const char* fellow = settings.imgFilePath ? "with_picture" : "without_picture";
    return pipelines.value(own, json::object()).value(fellow, own);
}

/// A picture of a render, by the field and the option that name it.
struct GivenPicture {
    const char* field;
    const char* option;
    const std::optional<std::string>& file;
};

std::array<GivenPicture, 2> picturesOf(const catalog::RenderSettings& settings) {
    return {GivenPicture{"img_file_path", "--img-file-path", settings.imgFilePath},
            GivenPicture{"last_img_file_path", "--last-img-file-path", settings.lastImgFilePath}};
}

/// An option that was given and that this pipeline isn't handed; empty where there is none.
std::string optionNotTaken(const json& pipeline, const catalog::RenderSettings& settings) {
    const json arguments = pipeline.value("pictures", json::object());
    for (const GivenPicture& picture : picturesOf(settings))
        if (picture.file && !arguments.contains(picture.field)) return picture.option;
    // What doesn't fit at once is acceptsDecodeOf()'s.
    if (settings.vaeTiling == protocol::kTilingOn) return "--vae-tiling on";
    return {};
}

/// Whether the index names a component of a class that is ours alone.
bool hasOwnModule(const families::ModelIndex& index) {
    return std::ranges::any_of(index.json(), [](const json& component) {
        return component.is_array() && !component.empty() && component.front() == "reelgrid";
    });
}

/// Shape of a tensor's latents, [1, C, T, H, W].
Result<std::vector<std::int64_t>> latentShapeOf(const weights::SafetensorsFolder& file,
                                                const std::string& where) {
    const auto shape = file.shapeOf("latents");
    constexpr std::size_t kSides = 5;
    if (!shape || shape->size() != kSides)
        return Error{ErrorCode::InvalidData, where + ": no latents of " + std::to_string(kSides) + " sides"};
    return *shape;
}

/// Latent frames that CogVideoX 1.5 puts before the clip's, so that its patches in time are whole.
std::int64_t paddingOf(const fs::path& folder, std::int64_t frames) {
    constexpr std::int64_t kMostPatch = 16;
    const auto config = weights::ModelConfig::read(folder / "transformer");
    const std::int64_t patch = config.has("patch_size_t") ? config.positive("patch_size_t", kMostPatch) : 1;
    return (patch - frames % patch) % patch;
}

fs::path latentsOf(const fs::path& clip) {
    return protocol::resultFolderOf(clip) / protocol::kLatentsFile;
}

/// A picture for diffusers: as it is where that decides the size itself, else as the clip begins with it.
Result<void> writePicture(const std::string& file, const catalog::RenderSettings& settings, bool isTakenWhole,
                          const fs::path& to) {
    auto image = media::readImage(file);
    if (!image) return image.error();
    const bool fits = image->width == settings.width && image->height == settings.height;
    const bool isCut = settings.pictureFit == protocol::kCropPicture;
    if (!fits && isCut) *image = denoising::cutTo(*image, {settings.width, settings.height});
    if (!fits && !isCut && !isTakenWhole) *image = denoising::stretchedOrCut(*image, settings);
    // A format that needs no library here and that Pillow reads.
    std::string bytes =
        "P6\n" + std::to_string(image->width) + " " + std::to_string(image->height) + "\n255\n";
    bytes.append(image->pixels.begin(), image->pixels.end());
    return writeFile(to, bytes);
}

Result<media::RgbVideo> framesIn(const fs::path& file, const json& made,
                                 const catalog::RenderSettings& settings) {
    const auto frames = made.value("frames", 0), height = made.value("height", 0),
               width = made.value("width", 0);
    if (frames != settings.numFrames || height != settings.height || width != settings.width)
        return Error{ErrorCode::InvalidData, "diffusers made " + std::to_string(frames) + " frames of " +
                                                 std::to_string(width) + "x" + std::to_string(height) + ", " +
                                                 std::to_string(settings.numFrames) + " of " +
                                                 std::to_string(settings.width) + "x" +
                                                 std::to_string(settings.height) + " were needed"};
    media::RgbVideo video{width, height, denoising::frameRate(settings.fps), {}};
    const std::size_t bytes = video.frameBytes() * std::size_t(frames);
    auto read = readFile(file, bytes);
    if (!read) return read.error();
    if (read->size() != bytes)
        return Error{ErrorCode::InvalidData, file.string() + ": " + std::to_string(read->size()) +
                                                 " bytes, " + std::to_string(bytes) + " were needed"};
    video.pixels.assign(read->begin(), read->end());
    return video;
}

result::Timing timingOf(const json& made, int frames) {
    result::Timing timing;
    const json stages = made.value("stages", json::object());
    for (const char* stage : {"load", "text", "denoise", "decode"})
        if (stages.contains(stage) && stages[stage].is_number())
            timing.add(stage, stages[stage].get<double>());
    for (const json& step : made.value("steps", json::array()))
        if (step.is_number()) timing.steps.push_back(step.get<double>());
    if (made.contains("peak_bytes") && made["peak_bytes"].is_number_unsigned())
        timing.addPeak("denoise", made["peak_bytes"].get<std::uint64_t>());
    timing = timing.complete();
    timing.frames = frames;
    return timing;
}

}  // namespace

Result<DiffusersEngine> DiffusersEngine::find() {
    const std::string needed =
        "--with-engine diffusers: a Python with diffusers was needed (REELGRID_PYTHON "
        "names it); ";
    const auto found = plugins::findPython();
    if (!found) return Error{ErrorCode::BadUsage, needed + found.error().message};
    const fs::path& python = found->path;
    const auto answer = jobs::outputOf({python, {"-c", kAsksVersions}}, kMostAnswerBytes);
    if (!answer) return Error{ErrorCode::BadUsage, needed + answer.error().message};
    const auto versions = parseJson(*answer, python.string());
    if (!versions || !versions->is_object())
        return Error{ErrorCode::BadUsage, needed + python.string() + " didn't say what it has"};
    std::string missing;
    for (const auto& [name, version] : versions->items())
        if (!version.is_string()) missing += (missing.empty() ? "" : ", ") + name;
    if (!missing.empty()) return Error{ErrorCode::BadUsage, needed + python.string() + " lacks " + missing};
    auto pipelines = readJsonObject(resourceFolder() / "engines/diffusers_pipelines.json");
    if (!pipelines) return pipelines.error();
    return DiffusersEngine(python, (*versions)["diffusers"].get<std::string>(), *std::move(pipelines));
}

Result<void> DiffusersEngine::accepts(const CheckedRequest& checked) const {
    const families::ModelInfo& model = checked.model();
    const std::string option = "--with-engine diffusers: ";
    std::error_code failed;
    if (model.indexFile.empty() || !fs::is_directory(model.folder, failed) ||
        !model.componentsElsewhere().empty())
        return Error{ErrorCode::BadUsage,
                     option + "model " + model.id + " is not one diffusers folder, which was needed"};
    const auto index = families::ModelIndex::read(model.source());
    if (!index) return index.error();
    const std::string className = pipelineFor(m_pipelines, *index, checked.settings());
    if (!m_pipelines.contains(className))
        return Error{ErrorCode::BadUsage, option + "model " + model.id + " is a " + className +
                                              ", which diffusers isn't handed by this version"};
    const json& pipeline = m_pipelines[className];
    if (pipeline.value("noise", "") == "one_picture" && checked.settings().numFrames > 1)
        return Error{ErrorCode::BadUsage,
                     option + className + " makes one picture there: --num-frames 1 was needed"};
    for (const families::ComponentInfo& component : model.components)
        if (component.name == "scheduler" && component.className.starts_with("RCM"))
            return Error{ErrorCode::BadUsage, option + "it has no " + component.className};
    if (const auto& scheduler = checked.settings().scheduler; scheduler && scheduler->starts_with("rcm"))
        return Error{ErrorCode::BadUsage, option + "it has no --scheduler " + *scheduler};
    // A module of our own mixes even a single frame.
    const auto& alpha = checked.settings().temporalAlpha;
    const bool isOnePicture = pipeline.value("noise", "") == "one_picture";
    if (isOnePicture && hasOwnModule(*index) && alpha.value_or(1) != 0)
        return Error{ErrorCode::BadUsage, option + "model " + model.id +
                                              " has a temporal module that diffusers lacks: --temporal-alpha "
                                              "0 was needed"};
    if (!isOnePicture && alpha.value_or(1) != 1)
        return Error{ErrorCode::BadUsage, option + "--temporal-alpha isn't handed over; none was needed"};
    if (const std::string foreign = foreignOption(checked.request()); !foreign.empty())
        return Error{ErrorCode::BadUsage, option + foreign + " isn't handed over; none was needed"};
    if (const std::string given = optionNotTaken(pipeline, checked.settings()); !given.empty())
        return Error{ErrorCode::BadUsage,
                     option + given + " isn't handed over to " + className + "; none was needed"};
    return {};
}

Result<void> DiffusersEngine::requireDecodedWhole(const catalog::RenderSettings& made,
                                                  const fs::path& clip) const {
    if (made.vaeTiling != protocol::kTilingOn) return {};
    return Error{ErrorCode::OutOfMemory,
                 clip.string() + " was decoded in tiles, as the whole didn't fit in memory, and " + title() +
                     " decodes whole: a smaller size or fewer frames were needed"};
}

Result<void> DiffusersEngine::acceptsDecoded(const fs::path& clip) const {
    const auto made = result::readClipResult(clip).manifest.settings;
    return made ? requireDecodedWhole(*made, clip) : Result<void>();
}

Result<void> DiffusersEngine::acceptsDecodeOf(const CheckedRequest& checked,
                                              const machine::Machine& machine) const {
    // What else is wrong with it is said where it is rendered.
    const auto forecast = pipeline::forecastRender(checked.request(), machine);
    if (!forecast || !forecast->tiles) return {};
    return Error{ErrorCode::OutOfMemory,
                 "--with-engine diffusers: the decode doesn't fit in memory but in tiles, and " + title() +
                     " decodes whole: a smaller size or fewer frames were needed"};
}

Result<void> DiffusersEngine::render(const CheckedRequest& checked, const fs::path& reference,
                                     const fs::path& clip, const Told& told,
                                     const std::stop_token& stop) const try {
    const result::Manifest made = result::readClipResult(reference).manifest;
    const catalog::RenderSettings& settings = made.settings ? *made.settings : checked.settings();
    const auto index = families::ModelIndex::read(checked.model().source());
    if (!index) return index.error();
    if (auto whole = requireDecodedWhole(settings, reference); !whole) return whole;
    const std::string className = pipelineFor(m_pipelines, *index, settings);
    const json& pipeline = m_pipelines[className];
    auto pending = result::PendingResult::create(clip);
    if (!pending) return pending.error();
    const TemporaryFolder folder("reelgrid-engine");

    // The noise that the reference began with.
    const fs::path referenceLatents = latentsOf(reference);
    weights::SafetensorsFolder stored(referenceLatents);
    auto shape = latentShapeOf(stored, referenceLatents.string());
    if (!shape) return shape.error();
    const auto execution = execution::executionOn(settings.device);
    if (!execution) return execution.error();
    const bool drawsOnGpu = settings.generator != "cpu";
    schedulers::NoiseStream stream(settings.seed, drawsOnGpu ? execution->device : at::Device(at::kCPU));
    const std::string before = pipeline.value("drawn_before", "");
    if (before == "picture") static_cast<void>(stream.draw({1, 3, settings.height, settings.width}));
    if (before == "latent_picture")
        static_cast<void>(stream.draw({1, (*shape)[1], 1, (*shape)[3], (*shape)[4]}));
    const std::int64_t frames_T = (*shape)[2];
    const std::int64_t padding =
        pipeline.value("patches_time", false) ? paddingOf(checked.model().folder, frames_T) : 0;
    (*shape)[2] += padding;
    const std::string order = pipeline.value("noise", "");
    if (order == "frames_first") std::swap((*shape)[1], (*shape)[2]);
    if (order == "one_picture") shape->erase(shape->begin() + 2);
    if (auto written = weights::writeSafetensors(folder.path() / "noise.safetensors",
                                                 {{"noise", stream.draw(*shape).cpu()}});
        !written)
        return written;

    json pictures = json::object();
    const json arguments = pipeline.value("pictures", json::object());
    for (const auto& [field, option, file] : picturesOf(settings)) {
        if (!file) continue;
        const fs::path to = folder.path() / (std::string(field) + ".ppm");
        if (auto written = writePicture(*file, settings, pipeline.value("takes_pictures_whole", false), to);
            !written)
            return written;
        pictures[arguments.at(field).get<std::string>()] = to.string();
    }

    const json values = result::toJson(made)["settings"];
    json job = {{"folder", checked.model().folder.string()},
                {"family", pipeline.value("kind", "")},
                {"class", className},
                {"settings", values},
                {"noise", (folder.path() / "noise.safetensors").string()},
                {"pictures", pictures},
                {"frames", (folder.path() / "frames.rgb").string()},
                {"latents", (folder.path() / "latents.safetensors").string()}};
    const std::string storedSampler = index->classOf("scheduler");
    const auto rows = schedulers::schedulerList();
    const auto storedRow = std::ranges::find(rows, storedSampler, &schedulers::SchedulerRow::className);
    if (storedRow != rows.end()) {
        const schedulers::SchedulerRow* wanted = &*storedRow;
        if (settings.scheduler)
            for (const schedulers::SchedulerRow& row : rows)
                if (row.option == *settings.scheduler && row.prediction == storedRow->prediction)
                    wanted = &row;
        json options = json::object();
        if (settings.flowShift && *wanted->shiftKey != '\0') options[wanted->shiftKey] = *settings.flowShift;
        if (wanted != &*storedRow || !options.empty())
            job["scheduler"] = {{"class", std::string(wanted->className)}, {"options", options}};
    }
    const fs::path jobFile = folder.path() / "job.json";
    if (auto written = writeFile(jobFile, printJson(job)); !written) return written;

    json outcome;
    std::string why;
    const auto ran = jobs::runProgram(
        {m_python, {(resourceFolder() / "engines/diffusers_engine.py").string(), jobFile.string()}},
        [&](const std::string& line) -> Result<void> {
            const auto said = parseJson(line, "diffusers_engine.py");
            if (!said || !said->is_object())
                return Error{ErrorCode::InvalidData, "said something that isn't JSON"};
            if (said->contains("made")) outcome = (*said)["made"];
            if (said->contains("error")) why = said->value("error", "");
            if (said->contains("stage"))
                told(said->value("stage", ""), said->value("done", 0), said->value("total", 0));
            return {};
        },
        stop);
    if (!why.empty()) return Error{ErrorCode::Internal, title() + ": " + why};
    if (!ran) return ran.error();
    if (!outcome.is_object()) return Error{ErrorCode::Internal, title() + ": ended without a clip"};

    auto frames = framesIn(folder.path() / "frames.rgb", outcome, settings);
    if (!frames) return frames.error();
    // As ours are kept: channels before frames.
    weights::SafetensorsFolder theirs(folder.path() / "latents.safetensors");
    at::Tensor latents = theirs.require("latents", *shape);
    if (order == "frames_first") latents = latents.transpose(1, 2).contiguous();
    if (order == "one_picture") latents = latents.unsqueeze(2);
    if (padding > 0) latents = latents.narrow(2, padding, frames_T).contiguous();
    if (auto written = weights::writeSafetensors(pending->latents(), {{"latents", latents}}); !written)
        return written;
    if (auto written = media::writeClip(pending->clip(), *frames); !written) return written;
    auto measured = metrics::measure(*frames);
    if (!measured) return measured.error();

    result::Manifest manifest;
    manifest.request = checked.request();
    manifest.request->output = clip.string();
    manifest.settings = settings;
    manifest.engine = title();
    const json versions = outcome.value("versions", json::object());
    for (const auto& [name, version] : versions.items())
        if (version.is_string()) manifest.versions[name] = version.get<std::string>();
    manifest.device = made.device;
    manifest.deviceName = made.deviceName;
    manifest.threads = outcome.value("threads", 0);
    manifest.modelId = made.modelId;
    manifest.modelHashes = made.modelHashes;
    manifest.pictureHashes = made.pictureHashes;
    manifest.framesSha256 = sha256Hex(frames->pixels);
    if (settings.keepFrames == protocol::kKeepLossless) {
        if (auto written = media::writeClip(pending->frames(), *frames); !written) return written;
        auto hash = sha256OfFile(pending->frames());
        if (!hash) return hash.error();
        manifest.keptFrames = result::KeptFrames{fs::file_size(pending->frames()), *std::move(hash)};
    }
    const auto done =
        pending->commit(std::move(manifest), *std::move(measured), {timingOf(outcome, settings.numFrames)});
    if (!done) return done.error();
    return {};
} catch (const Failure& failure) {
    return failure.error();
}

Result<double> latentError(const fs::path& clip, const fs::path& reference) try {
    weights::SafetensorsFolder theirs(latentsOf(clip)), ours(latentsOf(reference));
    const auto shape = latentShapeOf(ours, latentsOf(reference).string());
    if (!shape) return shape.error();
    const at::Tensor a = theirs.require("latents", *shape).to(at::kDouble),
                     b = ours.require("latents", *shape).to(at::kDouble);
    return (a - b).abs().mean().item<double>() / b.abs().mean().item<double>();
} catch (const Failure& failure) {
    return failure.error();
}

}  // namespace reelgrid::cli
