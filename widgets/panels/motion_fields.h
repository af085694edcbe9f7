#pragma once

#include <string>
#include <vector>

#include "core/protocol/prompt_travel.h"
#include "widgets/panels/request_fields.h"

class QCheckBox;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;

namespace reelgrid::widgets {

/// Prompts at later frames, a row each: its frame, its words, and a button to go without; below them one for
/// another.
class PromptTable : public QWidget {
    Q_OBJECT

  public:
    explicit PromptTable(QWidget* parent = nullptr);

    void setPrompts(const std::vector<protocol::PromptAt>& prompts);
    [[nodiscard]] std::vector<protocol::PromptAt> prompts() const;  ///< in the order of frames
    /// What is wrong with them, as the command line says it.
    [[nodiscard]] QString problem() const;

  Q_SIGNALS:
    void edited();

  private:
    struct Row {
        QWidget* widget;
        QSpinBox* frame;
        QLineEdit* prompt;
    };
    void add(const protocol::PromptAt& at);
    void remove(const QWidget* row);

    std::vector<Row> m_rows;
    QVBoxLayout* m_column;
};

/// What models with motion modules are asked for beside others: another motion adapter, prompts at frames,
/// and whether the clip is a loop. Each is hidden for models that have no use for it.
class MotionFields : public RequestFields {
    Q_OBJECT

  public:
    explicit MotionFields(QWidget* parent = nullptr);

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

  private:
    PromptTable* m_travel;
    QCheckBox* m_loop;
    QWidget* m_adapterRow;
    QLineEdit* m_adapter;
    bool m_takesAdapter = false, m_takesTravel = false, m_takesLoop = false;
};

}  // namespace reelgrid::widgets
