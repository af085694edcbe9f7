#pragma once

#include <QImage>
#include <optional>

#include "widgets/panels/request_fields.h"

class QComboBox;

namespace reelgrid::widgets {

class PictureSlot;

/// What a clip begins and ends with, where the chosen model takes pictures, which task that makes, and how a
/// picture gets the clip's size. Hidden where it takes none.
class PictureFields : public RequestFields {
    Q_OBJECT

  public:
    enum class Which { First, Last };

    explicit PictureFields(QWidget* parent = nullptr);

    /// What a person chose; a picture switches to a task that takes it.
    void setPicture(Which which, const QString& path);
    /// Wherever it is shown.
    void askForThumbnails();
    void setThumbnail(const QString& path, const QImage& image);
    /// Whether one can be given at all.
    [[nodiscard]] bool takesPictures() const { return m_takesPictures; }

    void takeDefaults(const families::ModelInfo& model) override;
    void read(const protocol::RenderRequest& request) override;
    void write(protocol::RenderRequest& request) const override;

  Q_SIGNALS:
    void fileRequested(PictureFields::Which which);
    /// A picture is shown whose thumbnail isn't known.
    void thumbnailRequested(const QString& path);

  private:
    [[nodiscard]] const families::Task* task() const;
    void chooseTask(const std::string& name);
    void showTask();
    void buildLayout();

    std::vector<families::Task> m_tasks;  ///< of the chosen model
    bool m_takesPictures = false;
    QComboBox* m_task;
    QWidget* m_taskRow;
    PictureSlot* m_first;
    PictureSlot* m_last;
    QComboBox* m_fit;
};

}  // namespace reelgrid::widgets
