#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/session/limits.h"
#include "core/session/session_file.h"
#include "core/session/session_json.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& file) {
    return fullPathOf(file).parent_path();
}

}  // namespace

Result<LoadedSession> loadSession(const fs::path& file) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error();
    auto parsed = parseJson(*text, file.string(), JsonDialect::Standard, RepeatedKeys::Refused);
    if (!parsed) return parsed.error();
    auto loaded = sessionFromJson(*parsed, folderOf(file));
    if (!loaded) return loaded.error().in(file.string());
    loaded->sha256 = fileHashOf(*text);
    return loaded;
}

std::string fileTextOf(const Session& session, const fs::path& file) {
    return printJsonIndented(toJson(session, folderOf(file)));
}

Result<void> saveSession(const Session& session, const fs::path& file) {
    return writeFile(file, fileTextOf(session, file));
}

}  // namespace reelgrid::session
