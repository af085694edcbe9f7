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
    const auto changed = [self = QPointer(this), votes](const std::vector<session::BlindVote>& now) {
        if (self) self->keepVotes(votes, now);
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

void SuiteWindows::keepVotes(const std::filesystem::path& file,
                             const std::vector<session::BlindVote>& votes) {
    m_background->run([this, file, votes](const std::stop_token&) -> BackgroundThread::Completion {
        auto saved = suite::saveVotes(votes, file);
        return [this, saved = std::move(saved)] {
            if (!saved) Q_EMIT failed(widgets::text(saved.error().message));
        };
    });
}

}  // namespace reelgrid::studio
