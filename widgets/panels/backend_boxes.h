#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

class QCheckBox;
class QVBoxLayout;

namespace reelgrid::widgets {

/// An attention backend as it is offered.
struct BackendChoice {
    QString name;         ///< as --attention-type takes it
    QString title;        ///< beside the box
    QString description;  ///< the tool tip
    bool checkedAtFirst = true;
};

/// The backends to render with, a box for each.
class BackendBoxes : public QWidget {
    Q_OBJECT

  public:
    explicit BackendBoxes(QWidget* parent = nullptr);

    /// In this order; those to begin with are checked.
    void setBackends(const std::vector<BackendChoice>& backends);
    [[nodiscard]] QStringList checked() const;
    void setChecked(const QStringList& names);

  Q_SIGNALS:
    void edited();

  private:
    QVBoxLayout* m_column;
    std::vector<std::pair<QString, QCheckBox*>> m_boxes;
};

}  // namespace reelgrid::widgets
