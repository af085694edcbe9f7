#include "app/studio/measure/measurement_opener.h"

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/opened_file.h"
#include "core/base/pending_file.h"
#include "core/suite/suite_file.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

/// Where torch's profiler says what a file is.
constexpr std::size_t kHeadBytes = 4096;
constexpr int kMostEntries = 2000;

bool holdsCaptures(const fs::path& folder) {
    std::error_code failed;
    int looked = 0;
    for (fs::directory_iterator file(folder, failed), end; !failed && file != end && looked < kMostEntries;
         file.increment(failed), ++looked) {
        const std::string name = file->path().filename().string();
        if (name.ends_with(".pt") && name.find("_input_") != name.npos) return true;
    }
    return false;
}

bool beginsAsTrace(const fs::path& file) {
    std::array<char, kHeadBytes> head{};
    const auto opened = openRegularFile(file);
    if (!opened) return false;  // who reads it says what is wrong
    const std::string_view text(head.data(), std::fread(head.data(), 1, head.size(), opened->file.get()));
    return text.find("\"traceEvents\"") != text.npos || text.find("\"schemaVersion\"") != text.npos;
}

std::string_view viewOf(const QByteArray& bytes) {
    return {bytes.constData(), std::size_t(bytes.size())};
}

Result<ReadMeasurement> readMeasurement(const QString& name, const QByteArray& document,
                                        const nlohmann::json& parsed) {
    auto measurement = measurements::measurementFrom(parsed);
    if (!measurement) return measurement.error().in(name.toStdString());
    return ReadMeasurement{name, document, *std::move(measurement)};
}

}  // namespace

OpenWith openWith(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (fs::is_regular_file(path / suite::kSuiteFile, ignored)) return OpenWith::Document;
        return holdsCaptures(path) ? OpenWith::Captures : OpenWith::Others;
    }
    const std::string name = path.filename().string();
    if (name.ends_with(".pt")) return OpenWith::Capture;
    if (name.ends_with(".json.gz")) return OpenWith::Trace;
    if (!name.ends_with(".json")) return OpenWith::Others;
    return beginsAsTrace(path) ? OpenWith::Trace : OpenWith::Document;
}

MeasurementOpener::MeasurementOpener(BackgroundThread* background, QObject* parent)
    : QObject(parent), m_background(background) {}

void MeasurementOpener::read(const QString& name, const QByteArray& document, Taken taken) {
    m_background->run([this, name, document, taken](const std::stop_token&) -> BackgroundThread::Completion {
        auto parsed = parseJson(viewOf(document), name.toStdString());
        auto read =
            parsed ? readMeasurement(name, document, *parsed) : Result<ReadMeasurement>(parsed.error());
        return [this, taken, read = std::make_shared<Result<ReadMeasurement>>(std::move(read))] {
            if (*read)
                taken(**read);
            else
                Q_EMIT failed(QString::fromStdString(read->error().message));
        };
    });
}

BackgroundThread::Completion MeasurementOpener::suiteCompletion(const fs::path& file,
                                                                const nlohmann::json& document) {
    auto read = openedSuiteFrom(document, file);
    return [this, read = std::move(read)] {
        if (read)
            Q_EMIT suiteOpened(*read);
        else
            Q_EMIT failed(QString::fromStdString(read.error().message));
    };
}

void MeasurementOpener::readFile(const fs::path& file) {
    m_background->run([this, file](const std::stop_token&) -> BackgroundThread::Completion {
        const auto bytes = reelgrid::readFile(file, measurements::kMostBytes);
        const auto parsed = bytes ? parseJson(*bytes, file.string(), JsonDialect::Python)
                                  : Result<nlohmann::json>(bytes.error());
        if (parsed && suite::isSuite(*parsed)) return suiteCompletion(file, *parsed);
        // What can't be read may be a session all the same; who opens those says what is wrong.
        if (!parsed || !measurements::isMeasurement(*parsed))
            return [this, file] { Q_EMIT notMeasured(file); };
        auto read = readMeasurement(QString::fromStdString(file.string()), QByteArray::fromStdString(*bytes),
                                    *parsed);
        return [this, read = std::make_shared<Result<ReadMeasurement>>(std::move(read))] {
            if (*read)
                Q_EMIT opened(**read);
            else
                Q_EMIT failed(QString::fromStdString(read->error().message));
        };
    });
}

}  // namespace reelgrid::studio
