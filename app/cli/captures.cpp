#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/captures_table.h"
#include "app/cli/console.h"
#include "app/cli/progress_line.h"
#include "app/cli/verb.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/capture/capture_json.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;

constexpr int kMostBlocks = 512;

struct CapturesVerb {
    CLI::App* list = nullptr;
    CLI::App* show = nullptr;
    std::string folder;
    std::string file;
    int head = 0;
    int batch = 0;
    int blocks = 96;
    std::string output;
    bool json = false;
};

int report(const CapturesVerb& verb, const json& document, const std::string& table) {
    if (!verb.output.empty())
        if (auto written = writeFile(verb.output, printJsonIndented(document) + "\n"); !written)
            return fail(written.error());
    return verb.json ? printResult(document) : printResult(table);
}

/// A file that can't be read is named; the others are listed all the same.
int runList(const CapturesVerb& verb) {
    // The document outlives the folder that the program was started in.
    const std::filesystem::path folder = std::filesystem::absolute(verb.folder).lexically_normal();
    const auto files = capture::captureFiles(folder);
    if (!files) return fail(files.error());
    std::vector<capture::CapturedCall> calls;
    json document = {{"folder", folder.string()}, {"captures", json::array()}, {"unreadable", json::array()}};
    ProgressLine line;
    for (std::size_t i = 0; i < files->size(); ++i) {
        line.update(verb.folder, "reading", int(i), int(files->size()), -1);
        auto call = capture::readCapture((*files)[i]);
        if (!call) {
            document["unreadable"].push_back(
                {{"file", (*files)[i].string()}, {"error", call.error().message}});
            continue;
        }
        document["captures"].push_back(toJson(*call));
        calls.push_back(*std::move(call));
    }
    line.clear();
    for (const json& each : document["unreadable"]) say(each["error"].get<std::string>());
    if (calls.empty())
        return fail({ErrorCode::InvalidData, verb.folder + ": none of its " + std::to_string(files->size()) +
                                                 " captures can be read"});
    return report(verb, document, capturesTable(calls));
}

int runShow(const CapturesVerb& verb) {
    const auto call = capture::readCapture(std::filesystem::absolute(verb.file).lexically_normal());
    if (!call) return fail(call.error());
    ProgressLine line;
    const auto map = attentionMapOf(*call, verb.batch, verb.head, verb.blocks, [&](int done, int total) {
        line.update(verb.file, "attention map", done, total, -1);
    });
    if (!map) return fail(map.error());
    json document = {{"capture", toJson(*call)}, {"attention_map", toJson(*map)}};
    CaptureStatistics statistics;
    const std::int64_t keyHead = verb.head / (call->q_BHND.size(1) / call->k_BHMD.size(1));
    const auto measure = [&](const char* name, int done, const at::Tensor& tensor,
                             capture::TensorStatistics& into, std::int64_t head) {
        line.update(verb.file, std::string("statistics of ") + name, done, 3, -1);
        into = capture::statisticsOf(tensor);
        document["tensors"][name] = toJson(into, head);
    };
    measure("q", 0, call->q_BHND, statistics.q, verb.head);
    measure("k", 1, call->k_BHMD, statistics.k, keyHead);
    measure("v", 2, call->v_BHMD, statistics.v, keyHead);
    line.clear();
    return report(verb, document, capturesTable({*call}) + "\n" + statisticsTable(statistics));
}

int runCaptures(const CapturesVerb& verb) {
    try {
        return verb.list->parsed() ? runList(verb) : runShow(verb);
    } catch (const c10::Error& failure) {
        const std::string words = failure.what_without_backtrace();
        return fail({ErrorCode::Internal, words.substr(0, words.find('\n'))});
    }
}

void addOutput(CLI::App& command, CapturesVerb& verb) {
    command.add_option("-o,--output", verb.output, "Also write the JSON document to this file");
    command.add_flag("--json", verb.json, "Print one JSON document");
}

}  // namespace

Verb addCapturesVerb(CLI::App& program) {
    auto verb = std::make_shared<CapturesVerb>();
    CLI::App* command =
        program.add_subcommand("captures", "Look at attention's inputs that render --save-inputs left");
    command->require_subcommand(1);
    verb->list = command->add_subcommand("list", "What a folder's captures are");
    verb->list->add_option("folder", verb->folder, "Where they are")->required();
    addOutput(*verb->list, *verb);
    verb->show = command->add_subcommand(
        "show",
        "Statistics, outlier channels and histograms of one capture's q, k and v, and one head's "
        "attention map");
    verb->show->add_option("file", verb->file, "A capture, .pt")->required();
    verb->show->add_option("--head", verb->head, "Whose map and channels, from 0")->capture_default_str();
    verb->show->add_option("--batch", verb->batch, "Of which batch entry, from 0")->capture_default_str();
    verb->show->add_option("--blocks", verb->blocks, "Rows and columns of the map at most")
        ->check(CLI::Range(1, kMostBlocks))
        ->capture_default_str();
    addOutput(*verb->show, *verb);
    return {command, [verb] { return runCaptures(*verb); }};
}

}  // namespace reelgrid::cli
