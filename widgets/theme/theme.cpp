#include "widgets/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>

#include "core/comparison/backend_color.h"

namespace reelgrid::widgets {

namespace {

// %1 window, %2 panel, %3 raised, %4 line, %5 text, %6 quiet, %7 accent, %8 wrong
constexpr const char* kStyleSheet = R"(
QWidget { font-size: 13px; }
QMainWindow, QDialog { background: %1; }
QMenuBar { background: %1; padding: 2px 6px; }
QMenuBar::item { padding: 5px 10px; border-radius: 5px; }
QMenuBar::item:selected { background: %3; }
QMenu { background: %3; border: 1px solid %4; padding: 5px; }
QMenu::item { padding: 6px 28px 6px 22px; border-radius: 4px; }
QMenu::item:selected { background: %7; color: white; }
QMenu::item:disabled { color: #5d6573; }
QMenu::separator { height: 1px; background: %4; margin: 5px 8px; }
QToolTip { background: %3; color: %5; border: 1px solid %4; padding: 5px; }
QSplitter::handle { background: %1; }
QSplitter::handle:hover { background: %7; }
#panel { background: %2; border-radius: 8px; }
#heading { color: %6; font-size: 11px; font-weight: 600; }
#quiet { color: %6; }
#problem { color: %8; font-size: 12px; }
#note { color: #e0b050; font-size: 12px; }
#popup { background: %3; border: 1px solid %4; border-radius: 6px; }
#words { background: transparent; selection-background-color: %7; }
QLineEdit, QPlainTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: %1; border: 1px solid %4; border-radius: 6px; padding: 5px 7px;
    selection-background-color: %7; selection-color: white; }
QLineEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: %7; }
*[invalid="true"] { border-color: %8; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down.png); }
QPushButton::menu-indicator { image: url(:/icons/chevron-down.png); subcontrol-position: right center; right: 4px; }
QPushButton#flat { padding: 3px 18px 3px 8px; color: %6; }
QPushButton#flat[plain="true"] { padding: 3px 8px; }
QComboBox QAbstractItemView { background: %3; border: 1px solid %4; selection-background-color: %7; outline: none; }
QPushButton, QToolButton { background: %3; border: 1px solid %4; border-radius: 6px; padding: 6px 12px; }
QToolButton { padding: 5px; }
QPushButton:hover, QToolButton:hover { background: #2e333d; border-color: #3a414d; }
QPushButton:pressed, QToolButton:pressed { background: %1; }
QPushButton:focus, QToolButton:focus { border-color: %7; }
QPushButton:disabled, QToolButton:disabled { color: #5d6573; background: %2; }
QPushButton#primary { background: %7; border-color: %7; color: #0b1420; font-weight: 600; padding: 9px; }
QPushButton#primary:hover { background: #6db0ff; }
QPushButton#primary:disabled { background: %3; border-color: %4; color: #5d6573; }
QPushButton#segment { padding: 3px 11px; border-radius: 5px; background: transparent; border: 1px solid transparent; color: %6; }
QPushButton#segment:checked { background: %3; color: %5; border-color: %4; }
QPushButton#segment:focus { border-color: %7; }
QToolButton#flat, QPushButton#flat { background: transparent; border-color: transparent; }
QToolButton#flat:hover, QPushButton#flat:hover { background: %3; }
QToolButton#flat:checked { background: %3; border-color: %4; }
QToolButton#flat:focus, QPushButton#flat:focus { border-color: %7; }
QProgressBar { background: %1; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: %7; border-radius: 2px; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar:vertical { background: transparent; width: 9px; margin: 0; }
QScrollBar::handle:vertical { background: #363c47; border-radius: 4px; min-height: 28px; }
QScrollBar:horizontal { background: transparent; height: 9px; margin: 0; }
QScrollBar::handle:horizontal { background: #363c47; border-radius: 4px; min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; height: 0; width: 0; }
#recent { background: transparent; outline: none; }
#recent::item { padding: 6px; border-radius: 6px; color: %6; }
#recent::item:hover { background: %3; }
#recent::item:selected { background: %3; color: %5; }
QCheckBox { spacing: 8px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
)";

QPalette darkPalette() {
    QPalette palette;
    palette.setColor(QPalette::Window, theme::kWindow);
    palette.setColor(QPalette::WindowText, theme::kText);
    palette.setColor(QPalette::Base, theme::kWindow);
    palette.setColor(QPalette::AlternateBase, theme::kPanel);
    palette.setColor(QPalette::Text, theme::kText);
    palette.setColor(QPalette::PlaceholderText, theme::kFaint);
    palette.setColor(QPalette::Button, theme::kRaised);
    palette.setColor(QPalette::ButtonText, theme::kText);
    palette.setColor(QPalette::BrightText, theme::kWrong);
    palette.setColor(QPalette::ToolTipBase, theme::kRaised);
    palette.setColor(QPalette::ToolTipText, theme::kText);
    palette.setColor(QPalette::Highlight, theme::kAccent);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, theme::kAccent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme::kFaint);
    return palette;
}

}  // namespace

void applyTheme(QApplication& application) {
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(darkPalette());
    QFont font = QApplication::font();
    font.setFamilies({"Inter", "Noto Sans", "Cantarell", "DejaVu Sans"});
    font.setPixelSize(13);
    QApplication::setFont(font);
    application.setStyleSheet(QString(kStyleSheet)
                                  .arg(theme::kWindow.name(), theme::kPanel.name(), theme::kRaised.name(),
                                       theme::kLine.name(), theme::kText.name(), theme::kQuiet.name(),
                                       theme::kAccent.name(), theme::kWrong.name()));
}

QColor backendColor(const QString& backend) {
    const comparison::Rgb color = comparison::backendColor(backend.toStdString());
    return {color.red, color.green, color.blue};
}

}  // namespace reelgrid::widgets
