#pragma once

#include <QWidget>

#include "app/studio/suite/suite_blind_clips.h"
#include "app/studio/suite/suite_table.h"

class QComboBox;
class QHBoxLayout;
class QVBoxLayout;

namespace reelgrid::widgets {
class ResultTable;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class WideColumnView;

/// A suite as its report has it: what each value of an axis comes to, the gate, and all clips in a table that
/// is sorted by a click on its heading. A row opens the grid of its subject. GUI thread.
class SuiteWindow : public QWidget {
    Q_OBJECT

  public:
    /// `changed` is told of votes.
    SuiteWindow(const OpenedSuite& suite, VotesChanged changed, QWidget* parent);

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }
    [[nodiscard]] WideColumnView& clips() { return *m_clips; }
    [[nodiscard]] widgets::ResultTable& values() { return *m_values; }
    [[nodiscard]] SuiteOrder& order() { return *m_order; }
    /// Of the axis that is chosen; null where the suite has none with two values.
    [[nodiscard]] std::shared_ptr<BlindClips> blindClips() const;

  Q_SIGNALS:
    void sessionRequested(const std::filesystem::path& session);
    /// A row whose folder holds something else now.
    void rowIsOther(const QString& message);
    void blindTestRequested(const std::shared_ptr<reelgrid::studio::BlindClips>& clips);

  private:
    void addHead(QVBoxLayout* column);
    void fillValues();
    void addBlindTest(QHBoxLayout* foot);
    [[nodiscard]] QLayout* clipsHead();
    void openRow(const QModelIndex& index);

    std::filesystem::path m_file;
    std::shared_ptr<const suite::SuiteResult> m_suite;
    std::shared_ptr<SuiteVotes> m_votes;
    widgets::ResultTable* m_values;
    SuiteTable* m_table;
    SuiteOrder* m_order;
    WideColumnView* m_clips;
    QComboBox* m_axis;
};

}  // namespace reelgrid::studio
