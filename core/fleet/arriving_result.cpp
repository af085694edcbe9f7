#include "core/fleet/arriving_result.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/fleet/request_files.h"
#include "core/protocol/result_paths.h"
#include "core/result/unfinished_render.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostFiles = 100000;

}  // namespace

Result<ArrivingResult> ArrivingResult::create(protocol::RenderRequest request, std::string machine) {
    auto lock = result::WriterLock::acquire(protocol::resultFolderOf(request.output));
    if (!lock) return lock.error();
    return ArrivingResult(std::move(request), std::move(machine), *std::move(lock));
}

fs::path ArrivingResult::placeOf(const std::string& name) const {
    if (name == kClipName) return m_request.output;
    return protocol::resultFolderOf(m_request.output) / name.substr(std::string_view(kCompanionStart).size());
}

Result<void> ArrivingResult::begin(FileBegins file) {
    const bool isExpected = file.name == kClipName || file.name.starts_with(kCompanionStart);
    if (!isExpected || m_current || m_whole.contains(file.name) || m_whole.size() >= kMostFiles)
        return Error{ErrorCode::InvalidData, "a file that nobody waited for came: " + file.name};
    const fs::path place = placeOf(file.name);
    auto arriving = ArrivingFile::create(std::move(file), place);
    if (!arriving) return arriving.error();
    m_current.emplace(*std::move(arriving));
    return m_current->isWhole() ? takeWhole() : Result<void>();
}

Result<void> ArrivingResult::add(std::span<const std::uint8_t> bytes) {
    if (!m_current) return Error{ErrorCode::InvalidData, "a piece of no file came"};
    if (auto added = m_current->add(bytes); !added) return added;
    return m_current->isWhole() ? takeWhole() : Result<void>();
}

Result<void> ArrivingResult::takeWhole() {
    auto file = m_current->finish();
    if (!file) return file.error();
    m_whole.emplace(m_current->name(), *std::move(file));
    m_current.reset();
    return {};
}

/// Paths of the other machine say nothing here.
Result<void> ArrivingResult::completeManifest(PendingFile& manifest) const {
    auto document = readJsonObject(manifest.path());
    if (!document) return document.error();
    const json request = protocol::toJson(m_request);
    (*document)["request"] = request;
    (*document)["machine"] = m_machine;
    if (auto model = document->find("model"); model != document->end() && model->is_object())
        (*model)["id"] = m_request.model;
    if (auto settings = document->find("settings"); settings != document->end() && settings->is_object())
        for (const std::string& field : fileFields())
            if (request.contains(field)) (*settings)[field] = request[field];
    std::ofstream stream(manifest.path(), std::ios::binary | std::ios::trunc);
    stream << printJsonIndented(*document);
    stream.close();
    if (!stream) return Error{ErrorCode::Io, manifest.finalPath().string() + ": can't be written"};
    return {};
}

Result<void> ArrivingResult::commit() {
    const std::string manifestName = kCompanionStart + std::string(protocol::kManifestFile);
    const auto clip = m_whole.find(kClipName), manifest = m_whole.find(manifestName);
    if (m_current || clip == m_whole.end() || manifest == m_whole.end())
        return Error{ErrorCode::InvalidData, "the result is not whole: " +
                                                 (m_current               ? m_current->name()
                                                  : clip == m_whole.end() ? std::string(kClipName)
                                                                          : manifestName) +
                                                 " is missing"};
    if (auto done = completeManifest(manifest->second); !done) return done;
    if (auto done = clip->second.commit(); !done) return done;
    for (auto& [name, file] : m_whole)
        if (name != kClipName && name != manifestName)
            if (auto done = file.commit(); !done) return done;
    if (auto done = manifest->second.commit(); !done) return done;
    result::removeUnfinished(m_request.output);
    return {};
}

}  // namespace reelgrid::fleet
