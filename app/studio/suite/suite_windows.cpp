#include "app/studio/suite/suite_windows.h"

#include "core/suite/suite_votes.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

SuiteWindows::SuiteWindows(BackgroundThread* background, QWidget* window)
    : QObject(window), m_background(background), m_window(window) {}

void SuiteWindows::show(const OpenedSuite& suite) {
    for (SuiteWindow* each : windows())
        if (each->file() == suite.file) each->close();
    const std::filesystem::path votes = suite.file.parent_path() / suite::kVotesFile;
    // A blind test may outlive the window that began it.
    const auto changed = [self = QPointer(this), votes](const std::shared_ptr<SuiteVotes>& now,
                                                        const suite::VoteChange& change) {
        if (self) self->keepVotes(votes, now, change);
    };
    auto* window = new SuiteWindow(suite, changed, m_window);
    connect(window, &SuiteWindow::sessionRequested, this, &SuiteWindows::sessionRequested);
    connect(window, &SuiteWindow::rowIsOther, this, &SuiteWindows::failed);
    connect(window, &SuiteWindow::blindTestRequested, this, &SuiteWindows::blindTestRequested);
    std::erase_if(m_windows, [](const auto& each) { return each.isNull(); });
    m_windows.emplace_back(window);
    window->show();
    Q_EMIT shown(suite.file);
}

std::vector<SuiteWindow*> SuiteWindows::windows() const {
    std::vector<SuiteWindow*> open;
    for (const auto& each : m_windows)
        if (!each.isNull() && each->isVisible()) open.push_back(each);
    return open;
}

void SuiteWindows::keepVotes(const std::filesystem::path& file, const std::shared_ptr<SuiteVotes>& votes,
                             const suite::VoteChange& change) {
    std::shared_ptr<suite::KeptVotes>& kept = m_kept[file];
    if (kept == nullptr) kept = std::make_shared<suite::KeptVotes>(file);
    ++votes->unkept;
    m_background->run([this, kept, votes, change](const std::stop_token&) -> BackgroundThread::Completion {
        auto now = kept->change(change);
        return [this, votes, now = std::move(now)] {
            --votes->unkept;
            if (!now) Q_EMIT failed(widgets::text(now.error().message));
            if (now && votes->unkept == 0) votes->follow(*now);
        };
    });
}

}  // namespace reelgrid::studio
