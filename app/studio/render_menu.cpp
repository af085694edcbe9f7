#include "app/studio/render_menu.h"

#include <QDialog>
#include <algorithm>

#include "app/studio/actions.h"
#include "app/studio/backend_choices.h"
#include "app/studio/dialogs.h"
#include "app/studio/library.h"
#include "app/studio/machine_list.h"
#include "app/studio/matrix_dialog.h"
#include "app/studio/model_browser.h"
#include "app/studio/session_controller.h"
#include "app/studio/settings.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

RenderMenu::RenderMenu(Parts parts) : QObject(parts.window), m_parts(parts) {
    connect(m_parts.renders, &RenderController::openRequested, this,
            [this](const std::filesystem::path& session) { m_parts.sessions->open({session}); });
}

void RenderMenu::connectTo(Actions& actions) {
    actions.onTriggered("matrix", [this] { openMatrix(); });
    actions.onTriggered("models", [this] { openModels(); });
    actions.onTriggered("library", [this] { openLibrary(); });
    actions.onTriggered("machines", [this] { openMachines(); });
}

MatrixDialog* RenderMenu::openMatrix() {
    const widgets::RequestEditor& editor = *m_parts.editor;
    if (editor.model() == nullptr) return nullptr;
    const machine::Machine machine = m_parts.renders->machine();
    MatrixSources sources{.request = editor.request(),
                          .models = editor.models(),
                          .backends = {},
                          .checkedBackends = editor.checkedBackends(),
                          .results = m_parts.renders->resultsFolder(),
                          .machine = machine,
                          .forecast = [renders = m_parts.renders](const auto& request, auto told) {
                              renders->jobs().forecast(request, std::move(told));
                          }};
    for (const widgets::BackendChoice& choice : backendChoices(machine)) sources.backends.append(choice.name);
    auto* dialog = new MatrixDialog(std::move(sources), &m_background, m_parts.window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &MatrixDialog::started, m_parts.renders, &RenderController::renderMatrix);
    dialog->show();
    return dialog;
}

Library* RenderMenu::openLibrary() {
    m_parts.sessions->lookForRecent();
    auto* library = new Library(&m_parts.sessions->recent());
    QDialog* dialog = showInDialog(m_parts.window, tr("Library"), library);
    connect(library, &Library::chosen, this, [this, dialog](const QString& folder) {
        m_parts.sessions->open({folder.toStdString()});
        dialog->close();
    });
    return library;
}

MachineList* RenderMenu::openMachines() {
    auto* list = new MachineList(Settings().machines(), m_parts.renders->machine());
    showInDialog(m_parts.window, tr("Machines"), list);
    connect(list, &MachineList::chosen, this,
            [this](const QString& hosts, const std::vector<jobs::LaneOptions>& lanes) {
                Settings().setMachines(hosts);
                m_parts.renders->jobs().setLanes(lanes);
            });
    return list;
}

ModelBrowser* RenderMenu::openModels() {
    auto* browser = new ModelBrowser(m_parts.editor->models());
    browser->choose(QString::fromStdString(m_parts.editor->request().model));
    QDialog* dialog = showInDialog(m_parts.window, tr("Models"), browser);
    connect(browser, &ModelBrowser::used, this, [this, dialog](const QString& id) {
        const auto& models = m_parts.editor->models();
        const auto model = std::ranges::find(models, id.toStdString(), &families::ModelInfo::id);
        if (model != models.end()) m_parts.editor->addModel(families::ModelInfo(*model));
        dialog->close();
    });
    return browser;
}

}  // namespace reelgrid::studio
