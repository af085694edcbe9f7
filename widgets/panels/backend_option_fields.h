#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "core/machine/machine.h"
#include "widgets/panels/request_fields.h"

class QGridLayout;
class QLabel;
class QLineEdit;

namespace reelgrid::widgets {

/// The parameters of backends, a line each: of those that are checked, and what else has a value. An empty
/// one is at its usual value, which it says.
class BackendOptionFields : public RequestFields {
    Q_OBJECT

  public:
    explicit BackendOptionFields(QWidget* parent = nullptr);

    /// The backends that have parameters. Keeps the values of those that are still there.
    void setMachine(const machine::Machine& machine);
    void setChecked(const QStringList& backends);

    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;

  private:
    struct Row {
        std::string backend, key;
        QLabel* label;
        QLineEdit* field;

        /// "sta.window=3,5,5"; empty where the field is.
        [[nodiscard]] std::string text() const;
    };
    void addRow(const machine::Backend& backend, const kernels::BackendOption& option);
    void arrange();

    QGridLayout* m_grid;
    std::vector<Row> m_rows;
    std::vector<std::string> m_others;  ///< of a request's, what no field shows
    QStringList m_checked;
};

}  // namespace reelgrid::widgets
