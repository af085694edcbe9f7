#include "app/studio/editor_files.h"

#include <QWidget>
#include <utility>

#include "app/studio/dialogs.h"
#include "core/base/resources.h"
#include "core/catalog/model_catalog.h"
#include "core/media/image.h"
#include "core/protocol/attention_policy_json.h"
#include "widgets/panels/prompt_guide.h"

namespace reelgrid::studio {

using widgets::RequestEditor;

EditorFiles::EditorFiles(RequestEditor* editor, BackgroundThread* background, QWidget* window)
    : QObject(window), m_editor(editor), m_background(background), m_window(window) {}

/// `read` gives a Result on the background thread, of which the editor takes the value.
template <class Read, class Take>
void EditorFiles::load(Read read, Take take) {
    m_background->run([this, read, take](const std::stop_token&) -> BackgroundThread::Completion {
        auto found = read();
        return [this, take, found = std::move(found)] {
            if (found)
                take(*m_editor, *found);
            else
                Q_EMIT failed(QString::fromStdString(found.error().message));
        };
    });
}

void EditorFiles::loadModels() {
    load([] { return Result(catalog::listModels()); },
         [](RequestEditor& editor, const auto& models) { editor.setModels(models); });
    load([] { return Result(catalog::unreadableInCache()); },
         [this](RequestEditor&, const auto& lines) {
             for (const std::string& line : lines) Q_EMIT failed(QString::fromStdString(line));
         });
}

void EditorFiles::loadPromptGuide() {
    load(
        []() -> Result<widgets::PromptGuide> {
            auto guide = widgets::PromptGuide::read(resourceFolder() / "prompts" / "demo.json");
            if (!guide) return guide.error().in("prompt guide");
            return guide;
        },
        [](RequestEditor& editor, const auto& guide) { editor.setPromptGuide(guide); });
}

void EditorFiles::addModel(const std::string& idOrFolder) {
    load([idOrFolder] { return catalog::findModel(idOrFolder); },
         [](RequestEditor& editor, const auto& model) { editor.addModel(model); });
}

void EditorFiles::readPolicy(const std::filesystem::path& file) {
    load([file] { return protocol::readAttentionPolicy(file); },
         [](RequestEditor& editor, const auto& policy) { editor.setAttentionPolicy(policy); });
}

void EditorFiles::chooseModelFolder() {
    const std::filesystem::path folder =
        askForFolder(m_window, tr("Choose a model folder (diffusers layout)"));
    if (!folder.empty()) addModel(folder.string());
}

void EditorFiles::chooseLora(widgets::LoraFields::Which which) {
    const std::filesystem::path file = askForLora(m_window);
    if (!file.empty()) m_editor->addLora(which, QString::fromStdString(file.string()));
}

void EditorFiles::choosePicture(widgets::PictureFields::Which which) {
    const std::filesystem::path file = askForPicture(m_window);
    if (!file.empty()) m_editor->setPicture(which, QString::fromStdString(file.string()));
}

void EditorFiles::readThumbnail(const QString& path) {
    load(
        [path]() -> Result<QImage> {
            auto picture = media::readImage(path.toStdString());
            if (!picture) return picture.error();
            constexpr int kChannels = 3;
            const QImage whole(picture->pixels.data(), picture->width, picture->height,
                               qsizetype(picture->width) * kChannels, QImage::Format_RGB888);
            // Enough for a thumbnail on any screen. A copy, as the pixels end here: a picture that has this
            // size already is only shared by scaled().
            constexpr int kEdge = 256;
            return whole.scaled(kEdge, kEdge, Qt::KeepAspectRatio, Qt::SmoothTransformation).copy();
        },
        [path](RequestEditor& editor, const QImage& image) { editor.setThumbnail(path, image); });
}

void EditorFiles::choosePolicyFile() {
    const std::filesystem::path file = askForPolicyFile(m_window);
    if (!file.empty()) readPolicy(file);
}

}  // namespace reelgrid::studio
