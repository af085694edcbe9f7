#include "core/session/unsaved_work.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"
#include "core/session/limits.h"
#include "core/session/session_json.h"

namespace reelgrid::session {

namespace {
constexpr const char* kClosed = "closing";
}  // namespace

Result<void> saveUnsavedWork(const UnsavedWork& work, const std::filesystem::path& file) {
    // Below no folder: every clip is written with its absolute path.
    const nlohmann::json object = {{"session", toJson(work.session, file / "none")},
                                   {"file", work.file.string()},
                                   {"left_by", work.leftBy == LeftBy::Closing ? kClosed : "crash"}};
    return writeFile(file, printJsonIndented(object));
}

Result<UnsavedWork> loadUnsavedWork(const std::filesystem::path& file) {
    const auto object = readJsonObject(file, kMaxFileBytes);
    if (!object) return object.error();
    UnsavedWork work;
    std::string own;
    std::string leftBy;
    protocol::FieldReader fields(*object, "unsaved work", ErrorCode::InvalidData);
    fields.text("file", own, kMaxPathBytes);
    fields.text("left_by", leftBy, kMaxPathBytes);
    const nlohmann::json* inside = fields.object("session", true);
    if (auto read = fields.finish(); !read) return read.error().in(file.string());
    auto session = sessionFromJson(*inside, file / "none");
    if (!session) return session.error().in(file.string());
    work.session = std::move(session->session);
    work.file = own;
    work.leftBy = leftBy == kClosed ? LeftBy::Closing : LeftBy::Crash;
    return work;
}

}  // namespace reelgrid::session
