#include "app/studio/recent_comparisons.h"

#include <QBuffer>
#include <QImage>
#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "app/studio/rendered_folder.h"
#include "core/base/folder.h"
#include "core/media/clip.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 300;
constexpr QSize kPictureSize(240, 135);

QDateTime changedAt(const fs::path& path) {
    std::error_code failed;
    const auto time = fs::last_write_time(path, failed);
    if (failed) return {};
    const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
    return QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

/// Packed: hundreds of them are kept as long as the window is open.
QByteArray middleOf(const fs::path& clip) {
    const auto opened = media::Clip::open(clip);
    if (!opened) return {};
    const auto frame = opened.value()->frame(opened.value()->info().frameCount() / 2);
    if (!frame) return {};
    const QImage image =
        widgets::toImage(**frame).scaled(kPictureSize, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    QByteArray packed;
    QBuffer buffer(&packed);
    buffer.open(QIODevice::WriteOnly);
    constexpr int kQuality = 90;
    image.save(&buffer, "JPEG", kQuality);
    return packed;
}

QString detailsOf(const protocol::RenderRequest& request) {
    QString details = QObject::tr("%1, seed %2").arg(QString::fromStdString(request.model)).arg(request.seed);
    if (request.numInferenceSteps) details += QObject::tr(", %1 steps").arg(*request.numInferenceSteps);
    if (request.width && request.height)
        details += QString(", %1×%2").arg(*request.width).arg(*request.height);
    return details;
}

std::optional<RecentComparison> read(const fs::path& folder, const QDateTime& when) {
    auto loaded = readRenderedFolder(folder);
    if (!loaded) return std::nullopt;
    // Nobody was asked about those that lie elsewhere.
    std::erase_if(loaded->session.clips, [&](const session::SessionClip& clip) {
        return std::ranges::find(loaded->outside, clip.path) != loaded->outside.end();
    });
    if (loaded->session.clips.empty()) return std::nullopt;
    RecentComparison recent;
    recent.folder = folder;
    recent.prompt = QString::fromStdString(loaded->session.request.prompt).simplified();
    recent.when = when;
    recent.details = detailsOf(loaded->session.request);
    for (const session::SessionClip& clip : loaded->session.clips)
        recent.backends.append(
            QString::fromStdString(clip.attentionType.empty() ? clip.label : clip.attentionType));
    recent.picture = middleOf(loaded->session.clips.front().path);
    return recent;
}

}  // namespace

std::vector<RecentComparison> findRecentComparisons(const fs::path& results, const std::stop_token& stop,
                                                    const std::vector<RecentComparison>& known) {
    const auto entries = entriesOf(results);
    if (!entries) return {};
    std::vector<std::pair<QDateTime, fs::path>> folders;
    std::error_code failed;
    for (const auto& entry : *entries)
        if (entry.is_directory(failed)) folders.emplace_back(changedAt(entry.path()), entry.path());
    std::ranges::sort(folders, std::greater());
    std::vector<RecentComparison> found;
    for (const auto& [when, folder] : folders) {
        if (found.size() == kMost || stop.stop_requested()) break;
        const auto before = std::ranges::find_if(known, [&](const RecentComparison& each) {
            return each.folder == folder && each.when == when && !each.picture.isEmpty();
        });
        if (before != known.end())
            found.push_back(*before);
        else if (auto recent = read(folder, when))
            found.push_back(*std::move(recent));
    }
    return found;
}

void RecentComparisons::look(const fs::path& results) {
    m_background.run(
        [this, results, known = m_all](const std::stop_token& stop) -> BackgroundThread::Completion {
            auto found = findRecentComparisons(results, stop, known);
            const auto listed = entriesOf(results);
            const bool isToTell = !listed && listed.error().code != ErrorCode::NotFound;
            const QString why = isToTell ? QString::fromStdString(listed.error().message) : QString();
            return [this, found = std::move(found), why] {
                m_all = found;
                Q_EMIT changed();
                if (!why.isEmpty()) Q_EMIT failed(why);
            };
        });
}

}  // namespace reelgrid::studio
