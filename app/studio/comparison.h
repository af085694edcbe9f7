#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/studio/clip_preview.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/caption.h"
#include "core/comparison/clip_origin.h"
#include "core/media/missing_frames.h"
#include "core/media/track_choice.h"
#include "core/media/unequal_frames.h"
#include "core/result/clip_result.h"
#include "core/result/file_stamp.h"

namespace reelgrid::studio {

/// What a tile says while there is no picture.
struct ClipStatus {
    QString message;
    double progress = -1;  ///< 0 to 1; negative: there is no bar
    bool failed = false;
};

/// What is known of a clip on disk.
struct ClipFacts {
    result::ClipResult result;
    std::vector<double> frameSeconds;               ///< when each of its frames is shown
    std::optional<comparison::ClipOrigin> origin;   ///< what another program wrote into it
    std::optional<media::UnequalFrames> unequal{};  ///< absent: its frames are equally long
    media::TrackChoice track{};                     ///< of its video tracks
    media::MissingFrames missing{};
    double rate = 0;                           ///< frames a second that it is taken at
    std::optional<result::FileStamp> stamp{};  ///< of the clip's file, before it was read
};

/// One clip of the comparison: on disk, or still being rendered.
struct ComparedClip {
    int id = 0;
    QString label;
    QString backend;                 ///< that its manifest names, once that is read; empty: the label
    comparison::Rgb pictureColor{};  ///< on pictures, which are dark in both themes
    QColor color;                    ///< on the theme's panels
    std::filesystem::path path;      ///< of the clip; where it will be while it is being rendered
    bool onDisk = false;
    double offsetSeconds = 0;  ///< at time t it shows its own time t + offset
    ClipStatus status;
    ClipPreview preview;             ///< while it is being rendered
    std::optional<ClipFacts> facts;  ///< once they are read and measured

    /// What its manifest says ran; without a name where nothing is known.
    [[nodiscard]] comparison::Caption caption() const;
    /// Its last repetition's times; null while they are not known.
    [[nodiscard]] const result::Timing* timing() const { return facts ? facts->result.timing() : nullptr; }
};

/// What is being compared, in the order of the grid. The window's parts watch it, each the changes that it
/// shows. GUI thread.
class Comparison : public QObject {
    Q_OBJECT

  public:
    explicit Comparison(QObject* parent = nullptr) : QObject(parent) {}

    [[nodiscard]] const std::vector<ComparedClip>& clips() const { return m_clips; }
    [[nodiscard]] const ComparedClip* find(int id) const;
    /// The clip the others are measured against: the first one by the reference backend throughout that is
    /// on disk.
    [[nodiscard]] const ComparedClip* reference() const;

    /// Gives the clip its id and its backend's colour.
    int add(ComparedClip clip);
    void remove(int id);
    void clear();
    // Of a clip that is no longer here, nothing changes.
    void setStatus(int id, ClipStatus status);
    void setPreview(int id, ClipPreview preview);
    void putOnDisk(int id, const std::filesystem::path& path);
    /// What the manifest says ran decides the backend, whatever the clip was called before.
    void setFacts(int id, ClipFacts facts);
    /// The backend's own name becomes the caption that its facts make of it; beside another backend's name
    /// stands what ran.
    void setLabel(int id, const QString& label);
    /// To this place in the grid's order, or the nearest that there is.
    void move(int id, int place);
    /// Every clip gets its backend's colour in the theme that is in force now.
    void recolor();

  Q_SIGNALS:
    void clipAdded(int id);
    void clipRemoved(int id);
    void statusChanged(int id);
    void previewChanged(int id);
    void clipArrived(int id);   ///< it is on disk now
    void factsChanged(int id);  ///< or what it is called
    void orderChanged();

  private:
    ComparedClip* at(int id);
    [[nodiscard]] comparison::Rgb colorOf(const ComparedClip& clip) const;

    std::vector<ComparedClip> m_clips;
    int m_nextId = 1;
};

}  // namespace reelgrid::studio
