#pragma once

#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLineEdit;

namespace reelgrid::widgets {

/// A sparse backend whose map can be looked at, and its parameters.
struct SparseBackend {
    struct Option {
        QString key, value;  ///< value: the usual one
        QString about;       ///< the tool tip
        QString word{};      ///< of `captures show`; empty: --backend-option's
    };
    QString name, description;
    std::vector<Option> options;
};

/// Which backend's map of kept blocks is to be shown, if any, with which parameters.
class KeptMapForm : public QWidget {
    Q_OBJECT

  public:
    explicit KeptMapForm(QWidget* parent = nullptr);
    void setBackends(const std::vector<SparseBackend>& backends);
    /// Words of `captures show`: "--map=sparge", "--backend-option=sparge.cdfthreshd=0.9"; none without a
    /// map.
    [[nodiscard]] QStringList arguments() const;

  Q_SIGNALS:
    void edited();

  private:
    void showOptions();

    std::vector<SparseBackend> m_backends;
    QComboBox* m_backend;
    QHBoxLayout* m_row;
    /// Of the chosen backend: what comes before its value on the command line, and where it is typed.
    std::vector<std::pair<QString, QLineEdit*>> m_options;
};

}  // namespace reelgrid::widgets
