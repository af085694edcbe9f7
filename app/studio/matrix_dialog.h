#pragma once

#include <QDialog>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "app/studio/background_thread.h"
#include "app/studio/matrix_table.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace reelgrid::studio {

/// What the matrix is about: what the request editor has, and where earlier renders lie.
struct MatrixSources {
    protocol::RenderRequest request;
    std::vector<families::ModelInfo> models;  ///< not empty; the editor's own first
    QStringList backends;
    QStringList checkedBackends;
    std::filesystem::path results;
    machine::Machine machine;
    /// Asks what a request would take: RenderJobs::forecast().
    std::function<void(const protocol::RenderRequest& request,
                       std::function<void(const Result<protocol::RenderForecast>&)> told)>
        forecast;
};

/// Asks what to vary, and shows every render that comes of it, with its time, before any starts. GUI thread;
/// looks for earlier renders in the background.
class MatrixDialog : public QDialog {
    Q_OBJECT

  public:
    /// `background` outlives the dialog: a model whose files are being hashed keeps nobody waiting.
    MatrixDialog(MatrixSources sources, BackgroundThread* background, QWidget* parent = nullptr);

    void setPrompts(const QStringList& prompts);
    void setSeeds(const QString& seeds);
    void setSteps(const QString& steps);
    void setStepCaches(const QString& caches);
    void addPolicy(const std::filesystem::path& file);
    void setReuse(bool reuse);
    [[nodiscard]] const MatrixTable& table() const { return *m_table; }
    /// Why it can't be started; empty when it can.
    [[nodiscard]] QString problem() const;
    /// Whether the earlier renders have been looked through for what the table shows.
    [[nodiscard]] bool isComplete() const { return m_complete; }
    void start();

  Q_SIGNALS:
    /// In order; a row with an identical clip is to be reused where that was wanted.
    void started(const std::vector<reelgrid::studio::MatrixRow>& rows,
                 const std::vector<reelgrid::families::ModelInfo>& models);

  private:
    QWidget* buildAxes();
    void fillLists();
    [[nodiscard]] Result<comparison::MatrixAxes> axes() const;
    void expandSoon();
    void expand();
    void lookForEarlier();
    void askForMemory();
    void takeEarlier(int look, const std::vector<MatrixRow>& rows);
    void showSummary();

    MatrixSources m_sources;
    std::vector<comparison::NamedPolicy> m_policies;  // those of files
    QPlainTextEdit* m_prompts;
    QLineEdit* m_seeds;
    QLineEdit* m_steps;
    QLineEdit* m_stepCaches;
    QListWidget* m_models;
    QListWidget* m_backends;
    QListWidget* m_policyList;
    QCheckBox* m_reuse;
    QLabel* m_summary;
    QLabel* m_problem;
    QPushButton* m_start;
    MatrixTable* m_table;
    QTimer m_due;
    bool m_complete = false;
    std::set<std::string> m_asked;  // forecastKey()s
    int m_look = 0;                 // the last that was begun
    /// Read once; used by the background thread alone.
    std::shared_ptr<std::optional<comparison::EarlierRenders>> m_earlier;
    BackgroundThread* m_background;
};

}  // namespace reelgrid::studio
