#include "app/cli/model_verify.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "core/base/link_check.h"
#include "core/base/utf8.h"
#include "core/catalog/model_catalog.h"
#include "core/hub/expected_hash.h"
#include "core/hub/remote_file.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/zero_weights.h"
#include "core/weights/finite_check.h"
#include "core/weights/weight_file.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Verified {
    std::vector<std::string> faults, notes;
    std::size_t tensors = 0, files = 0, hashes = 0;
};

/// Every file once, whichever components share it.
std::set<fs::path> filesOf(const families::ModelInfo& model) {
    std::set<fs::path> files;
    if (!model.indexFile.empty()) files.insert(model.indexFile);
    for (const families::ComponentInfo& component : model.components)
        files.insert(component.files.begin(), component.files.end());
    return files;
}

/// Those that are read, whatever their names end with: a .bin beside .safetensors isn't.
std::set<fs::path> torchFilesOf(const families::ModelInfo& model) {
    std::set<fs::path> files;
    for (const families::ComponentInfo& component : model.components)
        files.insert(weights::torchFileOf(component.path));
    return files;
}

/// Files that can't be opened have been told of before.
void addNotFinite(const fs::path& file, const std::stop_token& stop, Verified& found) {
    try {
        for (std::string& fault : weights::notFiniteIn(file, stop)) found.faults.push_back(std::move(fault));
    } catch (const Failure& failure) {
        if (failure.error().code == ErrorCode::Cancelled) throw;
    }
}

/// Values and hashes.
void checkContents(const std::set<fs::path>& files, const std::set<fs::path>& torchFiles,
                   const std::stop_token& stop, Verified& found) {
    ProgressLine line;
    int done = 0;
    for (const fs::path& file : files) {
        line.update("verify", file.filename().string(), done++, static_cast<int>(files.size()), -1);
        if (stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "cancelled");
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) {
            const auto fault = faultOfLink(file);
            found.faults.push_back(fault ? fault->message : file.string() + ": is missing");
            continue;
        }
        const fs::path extension = file.extension();
        if (extension == ".safetensors" || extension == ".pth" || extension == ".pt" ||
            torchFiles.contains(file))
            addNotFinite(file, stop, found);
        const auto expected = hub::expectedHash(file);
        if (!expected) continue;
        ++found.hashes;
        const auto hash = hub::hashOfFile(file.string(), *expected);
        if (!hash)
            found.faults.push_back(hash.error().message);
        else if (*hash != *expected)
            found.faults.push_back(file.string() + ": its hash is " + *hash + ", the hub's is " + *expected +
                                   ": it is damaged, or cut short");
    }
    line.clear();
}

Verified verified(const families::ModelInfo& model, const std::stop_token& stop) {
    Verified found;
    const denoising::ModelFaults parameters = pipeline::findFaults(model);
    found.faults = parameters.faults;
    found.tensors = parameters.tensors;
    const std::set<fs::path> files = filesOf(model);
    found.files = files.size();
    found.notes = pipeline::zeroWeights(model);
    checkContents(files, torchFilesOf(model), stop, found);
    return found;
}

}  // namespace

int verifyModel(const std::string& idOrFolder, bool asDocument) {
    const InterruptWatch interrupts;
    Verified found;
    std::string id = idOrFolder, folder;
    if (const auto model = catalog::findModel(idOrFolder)) {
        folder = model->folder.string();
        if (auto text = asDocument ? requireUtf8("--json: the model's folder", folder) : Result<void>();
            !text)
            return fail(text.error());
        try {
            found = verified(*model, interrupts.token());
        } catch (const Failure& failure) {
            return fail(failure.error());
        }
    } else if (model.error().code == ErrorCode::BadUsage) {
        return fail(model.error());
    } else {
        found.faults.push_back(model.error().message);
    }
    const int code = found.faults.empty() ? 0 : 1;
    if (asDocument) {
        const int printed = printResult(json{{"id", id},
                                             {"folder", folder},
                                             {"faults", found.faults},
                                             {"notes", found.notes},
                                             {"files", found.files},
                                             {"tensors", found.tensors},
                                             {"hashes", found.hashes}});
        return printed != 0 ? printed : code;
    }
    for (const std::string& note : found.notes) say("note: " + note);
    std::string text;
    for (const std::string& fault : found.faults) text += fault + "\n";
    if (found.faults.empty())
        text = id + ": " + std::to_string(found.tensors) + " tensors in " + std::to_string(found.files) +
               " files fit, " + std::to_string(found.hashes) + " hashes are the hub's\n";
    const int printed = printResult(text);
    return printed != 0 ? printed : code;
}

}  // namespace reelgrid::cli
