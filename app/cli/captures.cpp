#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/captures_table.h"
#include "app/cli/console.h"
#include "app/cli/idle_call_options.h"
#include "app/cli/kept_blocks_file.h"
#include "app/cli/number_range.h"
#include "app/cli/progress_line.h"
#include "app/cli/token_grid_option.h"
#include "app/cli/verb.h"
#include "app/cli/wrong_option.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/pending_file.h"
#include "core/base/utf8.h"
#include "core/capture/capture_json.h"
#include "core/capture/kept_blocks_json.h"
#include "core/capture/missing_captures.h"
#include "core/media/png_file.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/backend_option.h"

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
    std::string map;  ///< a sparse backend's name; empty: none is looked at
    std::vector<std::string> backendOptions;
    std::string grid;
    double slaTopk = capture::SparseChoice{}.slaTopk;
    std::string output;
    bool json = false;
};

int report(const CapturesVerb& verb, const json& document, const std::string& table) {
    if (!verb.output.empty())
        if (auto written = writeFile(verb.output, printJsonIndented(document) + "\n"); !written)
            return fail(written.error());
    return verb.json ? printResult(document) : printResult(table);
}

/// Which map was asked for; nothing where none was.
Result<std::optional<capture::SparseChoice>> choiceOf(const CapturesVerb& verb) {
    if (!(verb.slaTopk > 0 && verb.slaTopk <= 1))
        return wrongOption("--sla-topk", significant(verb.slaTopk, 6), "a number above 0 and at most 1");
    const bool hasTopk = verb.slaTopk != capture::SparseChoice{}.slaTopk;
    if (verb.map.empty()) {
        if (verb.backendOptions.empty() && verb.grid.empty() && !hasTopk)
            return std::optional<capture::SparseChoice>();
        return Error{ErrorCode::BadUsage,
                     (!verb.grid.empty()             ? "--grid " + verb.grid
                      : !verb.backendOptions.empty() ? "--backend-option " + verb.backendOptions.front()
                                                     : std::string("--sla-topk")) +
                         ": --map was needed with it"};
    }
    if (hasTopk && !protocol::isSparse(verb.map))
        sayIdle("--sla-topk", "--map is " + verb.map + ", not sla or sagesla");
    for (const auto& asked : protocol::choicesIn(verb.backendOptions))
        if (asked.backend != verb.map)
            sayIdle("--backend-option", "--map is " + verb.map + ", not " + asked.backend);
    capture::SparseChoice choice{.backend = kernels::findBackend(verb.map), .slaTopk = verb.slaTopk};
    if (choice.backend == nullptr)
        return Error{ErrorCode::BadUsage,
                     "--map " + verb.map + ": one of " + capture::sparseBackendNames() + " was needed"};
    auto options = attention::BackendOptions::create(verb.backendOptions);
    if (!options) return options.error();
    choice.options = *std::move(options);
    if (!verb.grid.empty()) {
        const auto grid = tokenGridFrom(verb.grid);
        if (!grid) return grid.error();
        choice.grid = *grid;
    }
    return std::optional(std::move(choice));
}

/// What of the choice decides nothing of these calls, said.
void sayIdleChoice(const CapturesVerb& verb, const capture::SparseChoice& choice,
                   const std::vector<capture::CapturedCall>& calls) {
    std::vector<std::optional<int>> layers;
    std::vector<kernels::TokenGrid> grids;
    for (const capture::CapturedCall& call : calls) {
        layers.push_back(call.layer);
        grids.push_back(call.grid.isKnown() ? call.grid : choice.grid);
    }
    sayIdleLayers(verb.backendOptions, verb.map, layers);
    sayIdleGrid(choice.grid, grids);
}

/// A file that can't be read is named; the others are listed all the same.
int runList(const CapturesVerb& verb) {
    // The document outlives the folder that the program was started in.
    const std::filesystem::path folder = std::filesystem::absolute(verb.folder).lexically_normal();
    if (auto text = requireUtf8("folder", folder.string()); !text) return fail(text.error());
    const auto files = capture::captureFiles(folder);
    if (!files) return fail(files.error());
    const auto choice = choiceOf(verb);
    if (!choice) return fail(choice.error());
    for (const std::string& missing : capture::missingCaptures(folder, *files)) say("note: " + missing);
    std::vector<capture::CapturedCall> calls;
    std::vector<std::optional<capture::KeptShares>> kept;
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
        if (*choice) {
            // A call that the backend can't run, as one of cross-attention, has no map.
            auto shares = keptSharesOf(*call, **choice);
            if (!shares && shares.error().code != ErrorCode::Unsupported) return fail(shares.error());
            json& map = document["captures"].back()["map"];
            map = shares ? toJson(*shares) : json{{"backend", verb.map}, {"why", shares.error().message}};
            kept.push_back(shares ? std::optional(*std::move(shares)) : std::nullopt);
        }
        calls.push_back(*std::move(call));
    }
    line.clear();
    for (const json& each : document["unreadable"]) say(each["error"].get<std::string>());
    if (calls.empty())
        return fail({ErrorCode::InvalidData, verb.folder + ": none of its " + std::to_string(files->size()) +
                                                 " captures can be read"});
    if (*choice) sayIdleChoice(verb, **choice, calls);
    return report(verb, document, capturesTable(calls, kept));
}

/// What -o is to hold where a map was asked for.
Result<void> writeMap(const CapturesVerb& verb, const json& document, const capture::KeptBlocks& blocks) {
    if (verb.output.empty()) return {};
    const auto kind = mapFileKindOf(verb.output);
    if (!kind) return kind.error();
    if (*kind == MapFileKind::Json) return writeFile(verb.output, printJsonIndented(document) + "\n");
    if (*kind == MapFileKind::Csv) return writeFile(verb.output, csvOf(blocks));
    return media::writePng(pictureOf(blocks), verb.output);
}

int runShow(const CapturesVerb& verb) {
    const auto choice = choiceOf(verb);
    if (!choice) return fail(choice.error());
    if (*choice && !verb.output.empty())
        if (const auto kind = mapFileKindOf(verb.output); !kind) return fail(kind.error());
    const auto call = capture::readCapture(std::filesystem::absolute(verb.file).lexically_normal());
    if (!call) return fail(call.error());
    std::optional<capture::KeptBlocks> kept;
    if (*choice) {
        sayIdleChoice(verb, **choice, {*call});
        ProgressLine line;
        auto blocks = keptBlocksOf(*call, **choice, verb.batch, verb.head, [&](int done, int total) {
            line.update(verb.file, "kept blocks", done, total, -1);
        });
        if (!blocks) return fail(blocks.error());
        kept = *std::move(blocks);
    }
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
    const std::string table = capturesTable({*call}, {}) + "\n" + statisticsTable(statistics);
    if (!kept) return report(verb, document, table);
    document["kept_blocks"] = toJson(*kept);
    if (auto written = writeMap(verb, document, *kept); !written) return fail(written.error());
    return verb.json ? printResult(document) : printResult(table + "\n" + keptText(*kept));
}

int runCaptures(const CapturesVerb& verb) {
    try {
        return verb.list->parsed() ? runList(verb) : runShow(verb);
    } catch (const c10::Error& failure) {
        const std::string words = failure.what_without_backtrace();
        return fail({ErrorCode::Internal, words.substr(0, words.find('\n'))});
    }
}

void addMap(CLI::App& command, CapturesVerb& verb) {
    command
        .add_option("--map", verb.map,
                    "Also which blocks of keys this backend attends to: " + capture::sparseBackendNames())
        ->type_name("BACKEND");
    command
        .add_option("--backend-option", verb.backendOptions,
                    "A parameter of that backend, NAME.KEY=VALUE; may be repeated")
        ->type_name("NAME.KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--sla-topk", verb.slaTopk,
                    "Share of the key blocks that sla and sagesla keep, above 0 to 1")
        ->capture_default_str();
    command.add_option("--grid", verb.grid, kTokenGridHelp + std::string("; where a capture doesn't say it"));
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
    addMap(*verb->list, *verb);
    addOutput(*verb->list, *verb);
    verb->show = command->add_subcommand(
        "show",
        "Statistics, outlier channels and histograms of one capture's q, k and v, and one head's "
        "attention map");
    verb->show->add_option("file", verb->file, "A capture, .pt")->required();
    verb->show->add_option("--head", verb->head, "Whose map and channels, from 0")->capture_default_str();
    verb->show->add_option("--batch", verb->batch, "Of which batch entry, from 0")->capture_default_str();
    verb->show->add_option("--blocks", verb->blocks, "Rows and columns of the map at most")
        ->check(numberFrom(1, kMostBlocks))
        ->capture_default_str();
    addMap(*verb->show, *verb);
    verb->show->add_option("-o,--output", verb->output,
                           "Also write this file: the JSON document, or with --map by its ending .json, .csv "
                           "(a line a pair of blocks) or .png (the map as a picture)");
    verb->show->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb] { return runCaptures(*verb); }};
}

}  // namespace reelgrid::cli
