#include "app/studio/rendered_comparison.h"

#include <unistd.h>

#include <QDateTime>
#include <algorithm>

#include "app/studio/rendered_folder.h"
#include "core/catalog/render_settings.h"
#include "core/comparison/clip_name.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

/// "a-red-car-driving", for folder names.
std::string slugOf(const std::string& prompt) {
    constexpr std::size_t kLongest = 32;
    std::string slug;
    for (const char letter : prompt) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        const bool upper = letter >= 'A' && letter <= 'Z';
        if (plain || upper)
            slug += upper ? char(letter - 'A' + 'a') : letter;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
        if (slug.size() == kLongest) break;
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug.empty() ? "render" : slug;
}

fs::path newFolder(const std::string& prompt, const fs::path& results) {
    const std::string when = QDateTime::currentDateTime().toString("yyyyMMdd-HHmmss").toStdString();
    const fs::path first = results / (when + "-" + slugOf(prompt));
    fs::path folder = first;
    // The same prompt again within the second, with another seed. A place that can't be looked at is for the
    // first render to complain about.
    std::error_code ignored;
    for (int i = 2; fs::exists(folder, ignored); ++i) folder = first.string() + "-" + std::to_string(i);
    return folder;
}

/// Where the session's clips are, if that is in its own folder (`reelgrid-cli compare` puts them into
/// results/).
fs::path folderOfClips(const session::Session& session, const fs::path& own) {
    if (session.clips.empty()) return own;
    const fs::path folder = session.clips.front().path.parent_path();
    const fs::path below = folder.lexically_relative(own);
    return below.empty() || *below.begin() == ".." ? own : folder;
}

/// What the request is a picture of, whichever backend attends; empty where it can't be rendered.
std::string subjectOf(const protocol::RenderRequest& request, const families::ModelInfo& model,
                      const machine::Machine& machine) {
    const auto settings = catalog::resolveSettings(request, model, machine);
    return settings ? protocol::pictureKey(*settings) : std::string();
}

}  // namespace

RenderedComparison newComparison(const protocol::RenderRequest& request, const fs::path& results) {
    RenderedComparison comparison;
    comparison.folder = newFolder(request.prompt, results);
    comparison.sessionFile = comparison.folder / kSessionFile;
    comparison.session.request = request;
    return comparison;
}

RenderedComparison openedComparison(const session::Session& session, const fs::path& file,
                                    const fs::path& results) {
    RenderedComparison comparison = newComparison(session.request, results);
    if (::access(file.parent_path().c_str(), W_OK) == 0) {
        comparison.folder = folderOfClips(session, file.parent_path());
        comparison.sessionFile = file;
    }
    comparison.session = session;
    return comparison;
}

RenderedComparison interruptedComparison(const result::InterruptedRender& render) {
    constexpr const char* kBeside = "resumed.json";
    RenderedComparison comparison;
    comparison.folder = render.clip.parent_path();
    comparison.session.request = render.left.request;
    comparison.session.request.output.clear();
    std::error_code ignored;
    bool taken = !fs::exists(render.comparison / kSessionFile, ignored);
    if (auto read = readRenderedFolder(render.comparison)) {
        comparison.session = std::move(read->session);
        taken = read->outside.empty();
        std::erase_if(comparison.session.clips, [&](const session::SessionClip& clip) {
            return std::ranges::find(read->outside, clip.path) != read->outside.end();
        });
    }
    comparison.sessionFile = render.comparison / (taken ? kSessionFile : kBeside);
    return comparison;
}

bool isSameSubject(const protocol::RenderRequest& a, const protocol::RenderRequest& b,
                   const families::ModelInfo& model, const machine::Machine& machine) {
    if (a.model != b.model) return false;
    const std::string subject = subjectOf(a, model, machine);
    return !subject.empty() && subject == subjectOf(b, model, machine);
}

protocol::RenderRequest requestFor(const protocol::RenderRequest& request, const std::string& backend,
                                   const families::ModelInfo& model, const fs::path& folder) {
    protocol::RenderRequest own = request;
    own.attentionType = backend;
    own.output = (folder / comparison::clipName(model, own)).string();
    return own;
}

}  // namespace reelgrid::studio
