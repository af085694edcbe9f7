#pragma once

#include <QObject>
#include <filesystem>
#include <string>

#include "app/studio/background_thread.h"
#include "core/base/result.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

/// Reads in the background what the request editor offers: models, the demo's prompts, attention policies.
/// GUI thread.
class EditorFiles : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of questions.
    EditorFiles(widgets::RequestEditor* editor, BackgroundThread* background, QWidget* window);

    /// The models of this machine.
    void loadModels();
    void loadPromptGuide();
    void addModel(const std::string& idOrFolder);
    /// Into the request; one that can't be read changes nothing.
    void readPolicy(const std::filesystem::path& file);
    // The person chooses which.
    void chooseModelFolder();
    void choosePolicyFile();
    void chooseLora(widgets::LoraFields::Which which);
    void choosePicture(widgets::PictureFields::Which which);
    /// For the editor; a file that is no picture is said to be none.
    void readThumbnail(const QString& path);

  Q_SIGNALS:
    void failed(const QString& message);

  private:
    template <class Read, class Take>
    void load(Read read, Take take);

    widgets::RequestEditor* m_editor;
    BackgroundThread* m_background;
    QWidget* m_window;
};

}  // namespace reelgrid::studio
