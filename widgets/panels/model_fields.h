#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "widgets/panels/request_fields.h"

class QGridLayout;
class QLabel;

namespace reelgrid::widgets {

/// A value of the request that a row shows: a number or a text.
struct ModelValue {
    const char* key;        ///< of protocol::RenderField
    QString name;           ///< beside the field
    QString tip;            ///< what it does
    QString absent{};       ///< what an empty field says where the model has no number for it
    QStringList choices{};  ///< that a text has; none: any text
    const char* with = "";  ///< key of the row without whose value this one does nothing
};

/// What only some models are asked for, a row for each value, hidden for all others. An empty field is the
/// model's own choice, and says which that is.
class ModelFields : public RequestFields {
    Q_OBJECT

  public:
    explicit ModelFields(const std::vector<ModelValue>& values, QWidget* parent = nullptr);

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

    /// Whether a field that the model takes holds something of its own.
    [[nodiscard]] bool hasOwnChoice() const;

  private:
    struct Row {
        ModelValue value;
        QLabel* label;
        QWidget* field;               ///< a line, or a box of choices
        std::optional<bool> isTaken;  ///< by the model; absent: there was none yet
    };
    [[nodiscard]] static QString textIn(const Row& row);
    [[nodiscard]] bool hasMeaning(const Row& row) const;
    void arrange();

    std::vector<Row> m_rows;
    QGridLayout* m_grid;
};

}  // namespace reelgrid::widgets
