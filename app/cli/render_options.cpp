#include "app/cli/render_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/model_download.h"
#include "app/cli/plugin_options.h"
#include "app/cli/recipe_request.h"
#include "app/cli/request_pictures.h"
#include "core/base/byte_count.h"
#include "core/catalog/built_in_models.h"
#include "core/catalog/denoising_steps.h"
#include "core/catalog/idle_fields.h"
#include "core/catalog/policy_check.h"
#include "core/families/field_help.h"
#include "core/parallel/degrees.h"
#include "core/protocol/lora_choice.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/step_cache_json.h"
#include "core/result/clip_result.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

/// One option a row of the table of fields. Seed, dtype and step cache are read as text first; prompt and
/// policy are not fields of the request alone.
class TableOptions {
  public:
    explicit TableOptions(CLI::App& command) : m_command(command) {}

    /// Keeps "not given" apart from any value.
    template <class T>
    void add(const protocol::RenderField& field, std::optional<T>& target) {
        m_command.add_option_function<T>(
            optionOf(field), [&target](const T& value) { target = value; }, families::helpOf(field));
    }
    template <class T>
    void add(const protocol::RenderField& field, T& target) {
        m_command.add_option(optionOf(field), target, families::helpOf(field))->capture_default_str();
    }
    void add(const protocol::RenderField& field, bool& target) {
        m_command.add_flag(optionOf(field), target, families::helpOf(field));
    }
    void add(const protocol::RenderField& field, std::vector<std::string>& target) {
        // A backend's option may be a list itself.
        if (std::string_view(field.key) == "backend_option")
            m_command.add_option(optionOf(field), target, families::helpOf(field))
                ->type_name("NAME.KEY=VALUE")
                ->expected(1)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        else
            addCommaList(m_command, optionOf(field), target, families::helpOf(field));
    }
    void add(const protocol::RenderField&, protocol::AttentionPolicy&) {}
    void add(const protocol::RenderField&, protocol::StepCache&) {}  // read as text first

  private:
    CLI::App& m_command;
};

/// CLI11 would take "-1" for the largest number.
Result<std::uint64_t> seedFrom(const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return seed;
    return Error{ErrorCode::BadUsage, "--seed " + text + ": a whole number from 0 to 2^64 - 1 was needed"};
}

/// torch's names are aliases.
std::string dtypeName(std::string name) {
    if (name.starts_with("torch.")) name.erase(0, 6);
    if (name == "float32" || name == "float") return "fp32";
    if (name == "bfloat16") return "bf16";
    if (name == "float16" || name == "half") return "fp16";
    return name;
}

/// A CPU has no graphs to replay: the request means the same without.
void forgetCompileOnCpu(protocol::RenderRequest& request, const families::ModelInfo& model,
                        const machine::Machine& machine) {
    if (!request.useTorchCompile) return;
    protocol::RenderRequest without = request;
    without.useTorchCompile = false;
    const auto checked = CheckedRequest::create(without, model, machine);
    if (!checked || checked->settings().device != "cpu") return;
    request = without;
    static bool isSaid = false;
    if (!std::exchange(isSaid, true)) say("note: --use-torch-compile: nothing is compiled on the CPU");
}

/// Leaves --ulysses-degree what the other degrees leave.
Result<void> shareOut(protocol::RenderRequest& request, int ranks) {
    const int cfg = request.cfgParallel.value_or(1), ring = request.ringDegree.value_or(1);
    if (ranks > 1 && !request.ringDegree) request.ringDegree = 1;
    if (ranks > 1 && !request.ulyssesDegree && cfg * ring > 0 && ranks % (cfg * ring) == 0)
        request.ulyssesDegree = ranks / (cfg * ring);
    const int asked = cfg * ring * request.ulyssesDegree.value_or(1);
    if (asked == ranks || asked < 1) return {};
    const parallel::Degrees degrees{cfg, ring, request.ulyssesDegree.value_or(1)};
    return Error{ErrorCode::BadUsage, degrees.text() + " are " + std::to_string(asked) + " ranks, there " +
                                          (ranks == 1 ? "is 1" : "are " + std::to_string(ranks)) +
                                          ": as many (--nproc " + std::to_string(asked) +
                                          ", or torchrun, srun or mpirun) were needed"};
}

/// What --chain-save writes and --chain-from takes beside clips.
bool isLatentsFile(const fs::path& file) {
    return file.extension() == ".safetensors";
}

}  // namespace

void RenderOptions::addTo(CLI::App& command, std::initializer_list<std::string_view> without) {
    command
        .add_option(
            "--model", m_request.model,
            catalog::builtInNames() +
                ", a diffusers folder, a .safetensors or .pth file with a transformer (VAE and encoders "
                "beside it), or "
                "a hub id, which is downloaded where the cache lacks it")
        ->capture_default_str();
    TableOptions options(command);
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        const std::string_view key = field.key;
        if (key == "prompt")
            options.add(field, m_prompt);
        else if (key == "seed")
            options.add(field, m_seed);
        else if (key == "dtype")
            options.add(field, m_dtype);
        else if (key == "step_cache")
            options.add(field, m_stepCache);
        else if (std::ranges::find(without, key) == without.end())
            options.add(field, access(m_request));
    });
    if (std::ranges::find(without, "attention_policy") == without.end()) m_policy.addTo(command);
    m_script.addTo(command);
    m_unbuilt.addRenderOptions(command);
    addPluginOption(command);
}

Result<CheckedRequest> RenderOptions::check(const std::string& attentionType,
                                            const machine::Machine& machine) const {
    auto request = checkWords(attentionType, machine);
    if (!request) return request.error();
    auto model = findOrDownload(*request);
    if (!model) return model.error();
    return checkFor(*std::move(request), *model, machine);
}

Result<CheckedRequest> RenderOptions::check(const std::string& attentionType,
                                            const families::ModelInfo& model,
                                            const machine::Machine& machine) const {
    auto request = checkWords(attentionType, machine);
    if (!request) return request.error();
    return checkFor(*std::move(request), model, machine);
}

void RenderOptions::sayIdleOptions(const CheckedRequest& checked) const {
    for (const std::string& line : m_script.idleOptions(checked.settings())) say("note: " + line);
}

Result<protocol::RenderRequest> RenderOptions::checkWords(const std::string& asked,
                                                          const machine::Machine& machine) const {
    if (auto built = m_unbuilt.check(); !built) return built.error();
    const std::string attentionType = m_script.backendOf(asked);
    if (auto known = checkAttentionType("--attention-type", attentionType, machine); !known)
        return known.error();
    protocol::RenderRequest request = m_request;
    request.attentionType = attentionType;
    auto seed = seedFrom(m_seed);
    if (!seed) return seed.error();
    request.seed = *seed;
    if (auto applied = m_script.apply(request); !applied) return applied.error();
    for (auto* part : {&request.vae, &request.textEncoder, &request.transformer2}) {
        std::error_code failed;
        if (*part && fs::exists(**part, failed)) *part = fs::absolute(**part).lexically_normal().string();
    }
    if (!request.inputDir.empty()) request.inputDir = fs::absolute(request.inputDir).lexically_normal();
    for (auto* path : {&request.imgFilePath, &request.lastImgFilePath}) {
        if (!*path || (*path)->empty()) continue;
        *path = fs::absolute(**path).lexically_normal().string();
    }
    std::error_code missing;
    if (request.motionAdapter && fs::exists(*request.motionAdapter, missing))
        request.motionAdapter = fs::absolute(*request.motionAdapter).lexically_normal().string();
    if (request.chainFrom) {
        fs::path from = fs::absolute(*request.chainFrom).lexically_normal();
        if (!isLatentsFile(from)) {
            auto latents = result::latentsOfClip(from);
            if (!latents) return latents.error().in("--chain-from");
            from = *std::move(latents);
        }
        request.chainFrom = from.string();
    }
    if (request.chainSave) {
        const fs::path into = fs::absolute(*request.chainSave).lexically_normal();
        std::error_code failed;
        if (!isLatentsFile(into) || fs::is_directory(into, failed))
            return Error{ErrorCode::BadUsage, "--chain-save " + *request.chainSave +
                                                  ": a file whose name ends in .safetensors was needed"};
        request.chainSave = into.string();
    }
    if (m_dtype) request.dtype = dtypeName(*m_dtype);
    if (m_stepCache) {
        auto cache = protocol::stepCacheFromOption(*m_stepCache);
        if (!cache) return cache.error();
        request.stepCache = *std::move(cache);
    }
    if (auto shared = shareOut(request, m_ranks); !shared) return shared.error();
    // Absolute for the same reason as pictures.
    for (auto* loras : {&request.lora, &request.lora2})
        for (std::string& text : *loras) {
            if (loras == &request.lora2 && protocol::isNoLora(*loras)) continue;
            auto choice = protocol::LoraChoice::from(text, loras == &request.lora ? "--lora" : "--lora-2");
            if (!choice) return choice.error();
            choice->file = fs::absolute(choice->file).lexically_normal().string();
            text = choice->text();
        }
    // Every other model needs a prompt and, to begin with a picture, that picture.
    const catalog::BuiltInModel* builtIn = catalog::findBuiltIn(request.model);
    request.prompt = m_prompt.value_or(builtIn == nullptr ? "" : std::string(builtIn->prompt));
    if (builtIn != nullptr && !request.imgFilePath)
        if (const fs::path picture = catalog::pictureOf(*builtIn); !picture.empty())
            request.imgFilePath = picture.string();
    // Absolute, so that the worker and whoever reads the manifest mean the same folder.
    if (request.profileOutput && protocol::isTraceFolder(*request.profileOutput))
        request.profileOutput = fs::absolute(*request.profileOutput).lexically_normal().string();
    // Paths are those of the folder that the program was started in by now.
    if (auto text = protocol::requireUtf8(request); !text) return text.error();
    return request;
}

Result<CheckedRequest> RenderOptions::checkFor(protocol::RenderRequest request,
                                               const families::ModelInfo& model,
                                               const machine::Machine& machine) const {
    // Absolute, so that a session or manifest that repeats the request means the same folder everywhere.
    std::error_code failed;
    if (catalog::findBuiltIn(request.model) == nullptr && fs::exists(request.model, failed))
        request.model = model.folder.string();
    if (!m_prompt && request.prompt.empty()) request.prompt = model.usualPrompt;
    forgetCompileOnCpu(request, model, machine);
    auto checked = checkWithRecipe(request, model, machine);
    if (!checked) return checked;
    // Before several renders find it out, one after another.
    if (auto readable = requirePictures(request); !readable) return readable.error();
    const bool needed = model.task(checked->settings().task)->prompt == families::Need::Required;
    if (needed && !m_prompt && request.prompt.empty())
        return Error{ErrorCode::BadUsage, "--prompt is missing: what to render was needed"};
    auto given = m_policy.check(model, catalog::denoisingSteps(checked->settings(), model), machine);
    if (!given) return given.error();
    if (given->policy.empty()) return checked;
    return checked->with(machine, [&](auto& changed) {
        changed.attentionPolicy = std::move(given->policy);
        // What the command line says counts more.
        changed.backendOption.insert(changed.backendOption.begin(), given->backendOption.begin(),
                                     given->backendOption.end());
    });
}

void sayKeptFrames(std::uint64_t bytes) {
    // Less is not worth a word.
    constexpr std::uint64_t kWorthSaying = std::uint64_t{64} << 20;
    if (bytes >= kWorthSaying)
        say("note: frames without loss will take about " + byteCount(bytes) +
            " of disk (--keep-frames off: none)");
}

void sayIdleChoices(const CheckedRequest& checked, const std::vector<std::string>& otherBackends) {
    sayKeptFrames(catalog::keptFrameBytes(checked.settings()));
    const protocol::RenderRequest usual;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if (field.decides == protocol::Decides::Captures && !checked.request().saveInputs &&
            access(checked.request()) != access(usual))
            say("note: " + optionOf(field) + ": nothing is saved without --save-inputs");
    });
    const auto idle =
        catalog::idleFields(checked.request(), checked.settings(), checked.model(), otherBackends);
    for (const auto& [key, why] : idle)
        protocol::forEachRenderField([&](const protocol::RenderField& field, auto) {
            if (field.key == key) sayIdle(optionOf(field), why);
        });
    if (!checked.request().lora.empty() && checked.request().lora2.empty() && checked.model().takes("lora_2"))
        say("note: --lora goes into both experts; --lora-2 FILE names another for the second, --lora-2 none "
            "leaves "
            "it as it is");
    const std::vector<std::string> reasons = catalog::idleRules(checked.settings(), checked.model());
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (!reasons[i].empty())
            say("note: rule " + std::to_string(i + 1) + ", " +
                describe(checked.settings().attentionPolicy.rules[i]) + ": " + reasons[i]);
}

Result<void> checkAttentionType(const std::string& option, const std::string& name,
                                const machine::Machine& machine) {
    if (name == protocol::kDefaultBackend || machine.findBackend(name) != nullptr) return {};
    return Error{ErrorCode::BadUsage, option + " " + name + ": one of " + machine.backendNames() + ", " +
                                          protocol::kDefaultBackend +
                                          " was needed (a plug-in's: --backend-plugin FILE)"};
}

}  // namespace reelgrid::cli
