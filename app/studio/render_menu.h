#pragma once

#include <QObject>

#include "app/studio/render_controller.h"

class QWidget;

namespace reelgrid::widgets {
class RequestEditor;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Actions;
class EditorFiles;
class Library;
class MachineList;
class MatrixDialog;
class ModelBrowser;
class SessionController;

/// What the menu "Render" offers. GUI thread.
class RenderMenu : public QObject {
    Q_OBJECT

  public:
    struct Parts {
        widgets::RequestEditor* editor;
        EditorFiles* editorFiles;
        RenderController* renders;
        SessionController* sessions;
        QWidget* window;
    };
    explicit RenderMenu(Parts parts);

    void connectTo(Actions& actions);
    /// Stays open beside the work until it is started or cancelled; null while no model is known.
    MatrixDialog* openMatrix();
    ModelBrowser* openModels();
    Library* openLibrary();
    MachineList* openMachines();

  private:
    Parts m_parts;
    BackgroundThread m_background;  // looks for earlier renders
};

}  // namespace reelgrid::studio
