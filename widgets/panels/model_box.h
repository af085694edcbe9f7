#pragma once

#include <vector>

#include "widgets/panels/request_fields.h"

class QComboBox;
class QPushButton;

namespace reelgrid::widgets {

/// The model, and with it the task; a button to look for one in a folder.
class ModelBox : public RequestFields {
    Q_OBJECT

  public:
    explicit ModelBox(QWidget* parent = nullptr);

    /// Keeps the chosen model if it is still among them, else chooses the built-in one.
    void setModels(std::vector<families::ModelInfo> models);
    /// And chooses it.
    void addModel(const families::ModelInfo& model);
    [[nodiscard]] bool knows(const std::string& id) const;
    [[nodiscard]] const std::vector<families::ModelInfo>& models() const { return m_models; }
    [[nodiscard]] bool isEmpty() const { return m_models.empty(); }
    /// Null while there is none.
    [[nodiscard]] const families::ModelInfo* chosen() const;

    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;
    [[nodiscard]] QString problem() const override;

  Q_SIGNALS:
    void modelChosen();
    void folderRequested();

  private:
    std::vector<families::ModelInfo> m_models;
    QComboBox* m_names;
    QPushButton* m_folder;
};

}  // namespace reelgrid::widgets
