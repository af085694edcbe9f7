#include "app/studio/unsaved_work_keeper.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStandardPaths>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/folder.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

constexpr int kKeepAfterMs = 1000;
constexpr const char* kLockEnding = ".lock";

fs::path workFolder() {
    return fs::path(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
           "unsaved";
}

QString lockOf(const fs::path& work) {
    return QString::fromStdString(work.string() + kLockEnding);
}

struct LeftWork {
    session::UnsavedWork work;
    fs::path file;
};

/// The newest that can be read and is of a window that is gone. Blocks on the disk.
std::optional<LeftWork> newestLeftWork() {
    const auto entries = entriesOf(workFolder());
    if (!entries) return std::nullopt;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code failed;
    for (const auto& entry : *entries)
        if (entry.path().extension() == ".json")
            files.emplace_back(entry.last_write_time(failed), entry.path());
    std::ranges::sort(files, std::greater());
    for (const auto& [time, file] : files) {
        QLockFile lock(lockOf(file));
        lock.setStaleLockTime(0);
        if (!lock.tryLock()) continue;
        if (auto work = session::loadUnsavedWork(file)) return LeftWork{*std::move(work), file};
    }
    return std::nullopt;
}

}  // namespace

UnsavedWorkKeeper::UnsavedWorkKeeper(const SessionHistory* history, QObject* parent)
    : QObject(parent), m_history(history), m_background(std::make_unique<BackgroundThread>()) {
    m_due.setSingleShot(true);
    m_due.setInterval(kKeepAfterMs);
    connect(&m_due, &QTimer::timeout, this, &UnsavedWorkKeeper::keep);
    connect(m_history, &SessionHistory::changed, this, &UnsavedWorkKeeper::keepSoon);
}

void UnsavedWorkKeeper::keepSoon() {
    if (!m_due.isActive()) m_due.start();
}

void UnsavedWorkKeeper::chooseFile() {
    std::error_code ignored;  // writing says what is wrong
    fs::create_directories(workFolder(), ignored);
    if (!m_file.empty()) return;
    const QString name = QDateTime::currentDateTime().toString("yyyyMMdd-HHmmsszzz") + '-' +
                         QString::number(QCoreApplication::applicationPid()) + ".json";
    m_file = workFolder() / name.toStdString();
    m_lock = std::make_unique<QLockFile>(lockOf(m_file));
    m_lock->setStaleLockTime(0);
    static_cast<void>(m_lock->tryLock());
}

void UnsavedWorkKeeper::keep() {
    const bool unsaved = m_history->isUnsaved();
    if (!unsaved && m_file.empty()) return;
    chooseFile();
    const session::UnsavedWork work{m_history->now().session, m_history->now().file, session::LeftBy::Crash};
    m_background->run(
        [this, unsaved, work, file = m_file](const std::stop_token&) -> BackgroundThread::Completion {
            if (!unsaved) {
                std::error_code ignored;
                fs::remove(file, ignored);
                return {};
            }
            return [this, kept = session::saveUnsavedWork(work, file)] { tellFailure(kept); };
        });
}

void UnsavedWorkKeeper::tellFailure(const Result<void>& kept) {
    const bool isTold = std::exchange(m_isFailureTold, !kept);
    if (kept || isTold) return;
    Q_EMIT failed(tr("What isn't saved would be lost with this window, as it can't be kept: %1")
                      .arg(QString::fromStdString(kept.error().message)));
}

Result<void> UnsavedWorkKeeper::close() {
    m_due.stop();
    m_background = std::make_unique<BackgroundThread>();  // what it was writing is written now
    if (m_history->isUnsaved()) {
        chooseFile();
        const auto kept = session::saveUnsavedWork(
            {m_history->now().session, m_history->now().file, session::LeftBy::Closing}, m_file);
        if (!kept) return kept;
    } else if (!m_file.empty()) {
        std::error_code ignored;
        fs::remove(m_file, ignored);
    }
    disconnect(m_history, nullptr, this, nullptr);
    m_lock.reset();
    return {};
}

void UnsavedWorkKeeper::lookForLeftWork() {
    m_background->run([this](const std::stop_token&) -> BackgroundThread::Completion {
        auto left = newestLeftWork();
        if (!left) return {};
        return [this, left = *std::move(left)] {
            m_found = left.work;
            m_foundFile = left.file;
            Q_EMIT found(*m_found);
        };
    });
}

void UnsavedWorkKeeper::forgetFound() {
    std::error_code ignored;
    if (!m_foundFile.empty()) fs::remove(m_foundFile, ignored);
    m_foundFile.clear();
    m_found.reset();
}

}  // namespace reelgrid::studio
