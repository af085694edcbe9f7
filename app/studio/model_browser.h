#pragma once

#include <QWidget>
#include <vector>

#include "core/families/model_info.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace reelgrid::studio {

/// The models that this version runs: what each is made of and needs, whether it is on this machine, and
/// where.
class ModelBrowser : public QWidget {
    Q_OBJECT

  public:
    explicit ModelBrowser(const std::vector<families::ModelInfo>& models, QWidget* parent = nullptr);

    enum Column { Name, Present, Disk, Memory, Size, Where, ColumnCount };
    [[nodiscard]] const QTreeWidget& tree() const { return *m_tree; }
    /// How a missing model is got; empty while a present one is chosen.
    [[nodiscard]] QString advice() const;
    void choose(const QString& id);
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    /// A present model is to be rendered with.
    void used(const QString& id);

  private:
    void addPresent(const families::ModelInfo& model);
    void addMissing(const QString& id, const QString& title);
    void showChoice();

    QTreeWidget* m_tree;
    QLabel* m_advice;
    QPushButton* m_use;
};

}  // namespace reelgrid::studio
