#include "app/cli/backends_new.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/console.h"
#include "core/base/pending_file.h"
#include "core/base/resources.h"
#include "core/base/utf8.h"
#include "core/plugins/description_json.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

/// What the examples are called, in their files and in their files' names.
const std::string kExample = "example";
const std::string kHeader = "include/reelgrid/attention_backend.h";

struct NewVerb {
    std::string name = "my_kernel";
    std::string kind = "cpp";
    std::string folder;
    bool json = false;
};

std::string replaced(std::string text, const std::string& name) {
    for (std::size_t at = 0; (at = text.find(kExample, at)) != std::string::npos; at += name.size())
        text.replace(at, kExample.size(), name);
    return text;
}

/// One file of the project: an example's, or one that all share.
struct Copy {
    fs::path from, to;
    bool isExample = true;
};

Result<void> write(const Copy& copy, const std::string& name) {
    auto text = readFile(copy.from);
    if (!text) return text.error();
    return writeFile(copy.to, copy.isExample ? replaced(*std::move(text), name) : *std::move(text));
}

std::vector<Copy> copiesOf(const NewVerb& verb, const fs::path& folder) {
    const fs::path examples = resourceFolder() / "backends";
    if (verb.kind == "python") {
        const fs::path files = examples / "python" / "new";
        return {{files / (kExample + ".py"), folder / (verb.name + ".py")},
                {files / "README.md", folder / "README.md"}};
    }
    const std::string source = "." + std::string(verb.kind == "cuda" ? "cu" : "cpp");
    return {{examples / kHeader, folder / kHeader, false},
            {examples / verb.kind / (kExample + source), folder / (verb.name + source)},
            {examples / verb.kind / "CMakeLists.txt", folder / "CMakeLists.txt"}};
}

/// The nearest folder that is there: `folder` itself, or one that it will lie in.
fs::path standing(fs::path folder) {
    std::error_code failed;
    while (!fs::exists(folder, failed) && folder.has_relative_path()) folder = folder.parent_path();
    return folder;
}

/// All of them or none, so that the same command can be tried again: what was made is removed, up to the
/// folder that was there.
Result<void> write(const std::vector<Copy>& copies, const fs::path& folder, const std::string& name) {
    const fs::path kept = standing(folder);
    for (const Copy& copy : copies) {
        auto written = write(copy, name);
        if (written) continue;
        std::error_code failed;
        for (const Copy& made : copies) {
            fs::remove(made.to, failed);
            for (fs::path in = made.to.parent_path(); in != kept && in.has_relative_path();
                 in = in.parent_path())
                if (!fs::remove(in, failed) && fs::exists(in, failed)) break;  // it holds something else
        }
        return written;
    }
    return {};
}

Result<void> check(const NewVerb& verb, const fs::path& folder) {
    if (!plugins::isBackendName(verb.name))
        return Error{
            ErrorCode::BadUsage,
            "backends new " + verb.name + ": a letter, then letters, digits, _ or -, 40 at most, was needed"};
    if (plugins::isReservedName(verb.name))
        return Error{ErrorCode::BadUsage,
                     "backends new " + verb.name + ": the name has a meaning of its own, another was needed"};
    if (verb.kind == "python" && (verb.name == "torch" || verb.name == "triton"))
        return Error{ErrorCode::BadUsage, "backends new " + verb.name +
                                              ": its file would stand for Python's package of that name, "
                                              "another was needed"};
    if (kernels::findBackend(verb.name) != nullptr)
        return Error{ErrorCode::BadUsage,
                     "backends new " + verb.name + ": there is a backend of that name, another was needed"};
    std::error_code failed;
    if (fs::exists(folder, failed) && !fs::is_empty(folder, failed))
        return Error{ErrorCode::BadUsage,
                     folder.string() + ": is there already, a new or empty folder was needed"};
    return {};
}

int runNew(const NewVerb& verb) {
    const fs::path folder = verb.folder.empty() ? fs::path(verb.name) : fs::path(verb.folder);
    const std::string whole = fs::absolute(folder).lexically_normal().string();
    if (auto text = verb.json ? requireUtf8("--json: the folder", whole) : Result<void>(); !text)
        return fail(text.error());
    if (auto good = check(verb, folder); !good) return fail(good.error());
    fs::path place = whole;
    if (!place.has_filename()) place = place.parent_path();  // DIR/
    if (auto written = write(copiesOf(verb, place), place, verb.name); !written) return fail(written.error());
    const bool isPython = verb.kind == "python";
    const fs::path library = isPython ? folder / (verb.name + ".py") : folder / "build" / (verb.name + ".so");
    if (verb.json)
        return printResult(nlohmann::json{{"name", verb.name},
                                          {"folder", whole},
                                          {"library", fs::absolute(library).lexically_normal().string()}});
    return printResult(
        "made " + folder.string() + ", whose backend is called " + verb.name + ". Next:\n" +
        (isPython ? "  (" + (folder / "README.md").string() + " says what is needed)\n"
                  : "  cmake -S " + folder.string() + " -B " + (folder / "build").string() +
                        " && cmake --build " + (folder / "build").string() + "\n") +
        "  reelgrid-cli backends check " + library.string() + (verb.kind == "cuda" ? " --device cuda" : "") +
        "\n" + "  reelgrid-cli compare --backend-plugin " + library.string() + " --types sdpa," + verb.name +
        " --stitch\n" + "  reelgrid --backend-plugin " + library.string() + " rendered_videos/session.json");
}

}  // namespace

std::function<int()> addNewCommand(CLI::App& backends) {
    auto verb = std::make_shared<NewVerb>();
    CLI::App* command =
        backends.add_subcommand("new", "A folder with a working backend of your own to change");
    command->add_option("NAME", verb->name, "What the backend is called")->capture_default_str();
    command->add_option("--kind", verb->kind, "cpp or cuda (a CMake project), or python (a file)")
        ->check(CLI::IsMember({"cpp", "cuda", "python"}))
        ->capture_default_str();
    command->add_option("--output-dir", verb->folder, "The folder (default: NAME)");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return [verb] { return runNew(*verb); };
}

}  // namespace reelgrid::cli
