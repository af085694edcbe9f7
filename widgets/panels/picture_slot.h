#pragma once

#include <QImage>
#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

/// One picture of a request: its thumbnail and name, a button to choose a file and one to go without; files
/// can be dropped on it.
class PictureSlot : public QWidget {
    Q_OBJECT

  public:
    /// `option`: the command line's name for it.
    PictureSlot(const QString& title, const char* option, QWidget* parent = nullptr);

    /// An absolute path; empty: none.
    void setPath(const QString& path);
    [[nodiscard]] const QString& path() const { return m_path; }
    /// Of the picture at `path`; any other is passed over.
    void setThumbnail(const QString& path, const QImage& image);

  Q_SIGNALS:
    /// A person wants to choose a file.
    void fileRequested();
    void edited();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    QString m_path;
    QLabel* m_picture;
    QLabel* m_name;
    QPushButton* m_choose;
    QPushButton* m_remove;
};

/// The one local file of a drag that may be a picture, by its ending; empty for anything else.
[[nodiscard]] QString pictureIn(const QDropEvent& event);

}  // namespace reelgrid::widgets
