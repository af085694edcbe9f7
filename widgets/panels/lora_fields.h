#pragma once

#include <string>
#include <vector>

#include "widgets/panels/request_fields.h"

class QPushButton;
class QVBoxLayout;

namespace reelgrid::widgets {

class RealBox;

/// LoRAs in the order in which they are merged: each one's file, its scale, and a button to go without; below
/// them one to choose another.
class LoraList : public QWidget {
    Q_OBJECT

  public:
    /// `option`: the command line's name of the list.
    LoraList(const QString& choose, const char* option, QWidget* parent = nullptr);

    /// As a request names them: FILE or FILE:SCALE.
    void setChoices(const std::vector<std::string>& choices);
    [[nodiscard]] std::vector<std::string> choices() const;
    void add(const QString& file, double scale = 1);

  Q_SIGNALS:
    void edited();
    void fileRequested();

  private:
    struct Row {
        std::string file;
        QWidget* widget;
        RealBox* scale;
    };
    void remove(const QWidget* row);
    void clear();

    const char* m_option;
    std::vector<Row> m_rows;
    QVBoxLayout* m_column;
};

/// The LoRAs of a request; those of the second expert by themselves, where the model has one. Hidden for
/// models that take none.
class LoraFields : public RequestFields {
    Q_OBJECT

  public:
    enum class Which { First, Second };
    explicit LoraFields(QWidget* parent = nullptr);

    /// One that a person chose.
    void add(Which which, const QString& file);

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;

  Q_SIGNALS:
    void fileRequested(LoraFields::Which which);

  private:
    LoraList* m_first;
    LoraList* m_second;
    bool m_takesFirst = true, m_takesSecond = true;
};

}  // namespace reelgrid::widgets
