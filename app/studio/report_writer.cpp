#include "app/studio/report_writer.h"

#include <utility>

namespace reelgrid::studio {

void ReportWriter::write(const ReportedComparison& comparison, const std::filesystem::path& file,
                         Foreign foreign) {
    m_background->run(
        [this, comparison, file, foreign](const std::stop_token&) -> BackgroundThread::Completion {
            if (foreign == Foreign::Keep && isForeign(file)) return {};
            auto written = writeReport(comparison, file);
            return [this, file, written = std::move(written)] {
                if (written)
                    Q_EMIT saved(file);
                else
                    Q_EMIT failed(QString::fromStdString(written.error().message));
            };
        });
}

}  // namespace reelgrid::studio
