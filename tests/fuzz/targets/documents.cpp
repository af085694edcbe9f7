#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "core/catalog/recipe.h"
#include "core/hub/needed_files.h"
#include "core/hub/remote_file.h"
#include "core/hub/repository.h"
#include "core/machine/machine_json.h"
#include "core/measurements/measurement_file.h"
#include "core/plugins/description_json.h"
#include "core/profile/advice.h"
#include "core/profile/summary.h"
#include "core/profile/summary_json.h"
#include "core/profile/trace_reader.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/index_ranges.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/lora_choice.h"
#include "core/protocol/prompt_travel.h"
#include "core/protocol/render_request.h"
#include "core/protocol/worker_message.h"
#include "core/result/lockstep_json.h"
#include "core/result/manifest.h"
#include "core/result/metrics_file.h"
#include "core/result/timing.h"
#include "core/session/session_json.h"
#include "core/suite/suite_file.h"
#include "core/suite/suite_source.h"
#include "core/suite/suite_votes.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/targets/targets.h"

namespace reelgrid::fuzz {
namespace {

using nlohmann::json;

/// The bytes as our own files are read: Python's NaN and Infinity are texts.
json document(std::string_view bytes) {
    return parseJson(bytes, "document", JsonDialect::Python).value();
}

/// What was read can be written and read again, and says the same then. Through text, as a file has it.
template <class Write, class Read>
void requireSameAgain(const Write& write, const Read& read, const json& first) {
    const json kept = parseJson(printJson(write(read(first).value())), "written").value();
    const auto again = read(kept);
    promise(again.ok(), again.ok() ? "" : "what was written can't be read: " + again.error().message);
    promise(parseJson(printJson(write(again.value())), "written").value() == kept,
            "what was written and read differs: " + printJson(kept));
}

}  // namespace

void readJsonText(std::string_view bytes) {
    for (const JsonDialect dialect : {JsonDialect::Standard, JsonDialect::Python})
        if (const auto value = parseJson(bytes, "document", dialect)) {
            const auto again = parseJson(printJson(*value), "document");
            promise(again.ok() && printJson(*again) == printJson(*value), "JSON changes when it is written");
        }
}

void readRequest(std::string_view bytes) {
    const auto request = protocol::renderRequestFromJson(document(bytes)).value();
    const auto again = protocol::renderRequestFromJson(protocol::toJson(request));
    promise(again.ok(),
            again.ok() ? "" : "a request that was written can't be read: " + again.error().message);
    promise(*again == request, "a request that was written and read differs");
    for (const std::string& lora : request.lora) static_cast<void>(protocol::LoraChoice::from(lora));
    static_cast<void>(protocol::promptTravelFrom(request.promptTravel));
}

void readRecipe(std::string_view bytes) {
    const auto recipe = catalog::findRecipe(scratchFile("few-steps.json", bytes).string()).value();
    protocol::RenderRequest request;
    request.prompt = "a";
    catalog::apply(recipe, request);
    const auto again = protocol::renderRequestFromJson(protocol::toJson(request));
    promise(again.ok() && *again == request, "a request with a recipe's values can't be written and read");
}

void readPolicy(std::string_view bytes) {
    const auto policy = protocol::attentionPolicyFromJson(document(bytes)).value();
    const auto again = protocol::attentionPolicyFromJson(protocol::toJson(policy));
    promise(again.ok() && *again == policy, "a policy that was written and read differs");
}

void readRules(std::string_view bytes) {
    const std::string text(bytes);
    static_cast<void>(protocol::indexRangeFrom(text));
    static_cast<void>(protocol::indicesFrom(text, "layer", 40));
    if (const auto lora = protocol::LoraChoice::from(text)) {
        const auto again = protocol::LoraChoice::from(lora->text());
        promise(again.ok() && again->file == lora->file && again->scale == lora->scale,
                "a LoRA's choice that was written and read differs");
    }
    if (const auto travel = protocol::promptTravelFrom(text)) {
        const auto again = protocol::promptTravelFrom(protocol::promptTravelText(*travel));
        promise(again.ok() && *again == *travel, "prompts at frames that were written and read differ");
    }
    const auto policy = protocol::attentionPolicyFromRules({text}).value();
    const auto again = protocol::attentionPolicyFromJson(protocol::toJson(policy));
    promise(again.ok() && *again == policy, "a rule that was written and read differs");
}

void readWorkerLines(std::string_view bytes) {
    protocol::LineBuffer buffer(protocol::kMaxLineBytes);
    buffer.append(bytes);
    while (const auto line = buffer.next()) {
        if (const auto command = protocol::commandFromLine(*line)) {
            const std::string kept = protocol::toLine(*command);
            const auto again = protocol::commandFromLine(kept);
            promise(again.ok() && protocol::toLine(*again) == kept, "a command differs: " + kept);
        }
        if (const auto event = protocol::eventFromLine(*line)) {
            const std::string kept = protocol::toLine(*event);
            const auto again = protocol::eventFromLine(kept);
            promise(again.ok() && protocol::toLine(*again) == kept, "an event differs: " + kept);
        }
    }
}

void readSession(std::string_view bytes) {
    const std::filesystem::path folder = scratchFolder();
    requireSameAgain(
        [&](const session::LoadedSession& loaded) { return session::toJson(loaded.session, folder); },
        [&](const json& object) { return session::sessionFromJson(object, folder); }, document(bytes));
}

void readSuiteDocument(std::string_view bytes) {
    // What asks for a suite may be TOML: what is read of it is JSON that is read again.
    if (const auto toml = suite::suiteSourceFromToml(bytes, "suite.toml")) {
        const auto again = parseJson(printJson(toml->document), "suite");
        promise(again.ok() && *again == toml->document, "TOML differs as JSON");
        return;
    }
    const std::filesystem::path folder = scratchFolder();
    static_cast<void>(suite::isSuite(document(bytes)));
    requireSameAgain([&](const suite::SuiteResult& read) { return suite::toJson(read, folder); },
                     [&](const json& object) { return suite::suiteFromJson(object, folder); },
                     document(bytes));
}

void readSuiteVotes(std::string_view bytes) {
    const std::filesystem::path file = scratchFile("votes.json", bytes);
    const auto votes = suite::readVotes(file).value();
    promise(suite::saveVotes(votes, file).ok(), "votes can't be written");
    const auto again = suite::readVotes(file);
    promise(again.ok() && *again == votes, "votes that were written and read differ");
}

void readManifest(std::string_view bytes) {
    // Settings that lack what every render has are another program's, and we never write such.
    const auto manifest = result::manifestFromJson(document(bytes)).value();
    if (manifest.settings) {
        catalog::RenderSettings whole;
        protocol::readRenderSettings(protocol::fieldsJson(*manifest.settings), whole).value();
    }
    requireSameAgain([](const result::Manifest& read) { return result::toJson(read); },
                     [](const json& object) { return result::manifestFromJson(object); }, document(bytes));
}

void readTimings(std::string_view bytes) {
    requireSameAgain([](const std::vector<result::Timing>& timings) { return result::toJson(timings); },
                     [](const json& list) { return result::timingsFromJson(list); }, document(bytes));
}

void readMetrics(std::string_view bytes) {
    requireSameAgain([](const metrics::ClipMetrics& metrics) { return json(result::toJson(metrics)); },
                     [](const json& object) { return result::metricsFromJson(object); }, document(bytes));
}

void readMeasurement(std::string_view bytes) {
    const json object = document(bytes);
    static_cast<void>(measurements::isMeasurement(object));
    static_cast<void>(measurements::titleOf(measurements::measurementFrom(object).value()));
}

void readMachine(std::string_view bytes) {
    requireSameAgain([](const machine::Machine& machine) { return machine::toJson(machine); },
                     [](const json& object) { return machine::machineFromJson(object); }, document(bytes));
}

void readPluginDescription(std::string_view bytes) {
    requireSameAgain([](const kernels::PluginDescription& plugin) { return plugins::toJson(plugin); },
                     [](const json& object) { return plugins::descriptionFromJson(object); },
                     document(bytes));
}

void readTraceFile(std::string_view bytes) {
    auto trace = profile::readTrace(scratchFile("trace.json", bytes)).value();
    const profile::Summary summary = profile::summaryOf(std::move(trace));
    static_cast<void>(printJson(profile::toJson(summary, 10)));
    static_cast<void>(profile::bottlenecksOf(summary));
}

void readHubAnswer(std::string_view bytes) {
    const auto list = hub::fileListFrom(std::string(bytes), "answer").value();
    const std::filesystem::path home = "/cache/snapshot";
    for (const hub::RemoteFile& file : hub::neededFiles(list.files, {"transformer", "vae", "tokenizer"}))
        promise((home / file.path).lexically_normal().string().starts_with(home.string() + "/"),
                "a path leaves the repository: " + file.path);
    static_cast<void>(hub::partIdFrom(std::string(bytes)));
}

}  // namespace reelgrid::fuzz
