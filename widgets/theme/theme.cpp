#include "widgets/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QPalette>
#include <QRegularExpression>
#include <QStyleFactory>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/comparison/backend_color.h"

namespace reelgrid::widgets {

namespace {

const auto kThemeChanged = QEvent::Type(QEvent::registerEventType());
int g_textPercent = 100;
Theme g_theme = Theme::Dark;

struct ThemeColor {
    QColor& color;
    QRgb dark;
    QRgb light;
};

const std::array kColors{
    ThemeColor{theme::kWindow, 0x14161b, 0xeceef2}, ThemeColor{theme::kPanel, 0x1a1d23, 0xfafbfc},
    ThemeColor{theme::kRaised, 0x242830, 0xffffff}, ThemeColor{theme::kHover, 0x2e333d, 0xe1e6ee},
    ThemeColor{theme::kLine, 0x2c313b, 0xcdd3dc},   ThemeColor{theme::kText, 0xe4e7ec, 0x1b1f26},
    ThemeColor{theme::kQuiet, 0x939ba9, 0x545d6b},  ThemeColor{theme::kFaint, 0x5d6573, 0x8e97a5},
    ThemeColor{theme::kAccent, 0x4f9cf9, 0x1a66c9}, ThemeColor{theme::kOnAccent, 0x0b1420, 0xffffff},
    ThemeColor{theme::kWrong, 0xff7b72, 0xb3261e},  ThemeColor{theme::kWarning, 0xe0b050, 0x8a5a00}};

// Words in {braces} are colours; sizes of text are for normal text.
constexpr const char* kStyleSheet = R"(
QWidget { font-size: 13px; }
QMainWindow, QDialog { background: {window}; }
QMenuBar { background: {window}; padding: 2px 6px; }
QMenuBar::item { padding: 5px 10px; border-radius: 5px; }
QMenuBar::item:selected { background: {raised}; }
QMenu { background: {raised}; border: 1px solid {line}; padding: 5px; }
QMenu::item { padding: 6px 28px 6px 22px; border-radius: 4px; }
QMenu::item:selected { background: {accent}; color: {on-accent}; }
QMenu::item:disabled { color: {faint}; }
QMenu::separator { height: 1px; background: {line}; margin: 5px 8px; }
QToolTip { background: {raised}; color: {text}; border: 1px solid {line}; padding: 5px; }
QSplitter::handle { background: {window}; }
QSplitter::handle:hover { background: {accent}; }
#panel { background: {panel}; border-radius: 8px; }
#heading { color: {quiet}; font-size: 11px; font-weight: 600; }
#quiet { color: {quiet}; }
#problem { color: {wrong}; font-size: 12px; }
#note { color: {warning}; font-size: 12px; }
#aside { color: {quiet}; font-size: 12px; }
#popup { background: {raised}; border: 1px solid {line}; border-radius: 6px; }
#words { background: transparent; selection-background-color: {accent}; }
QLineEdit, QPlainTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: {window}; border: 1px solid {line}; border-radius: 6px; padding: 5px 7px;
    selection-background-color: {accent}; selection-color: {on-accent}; }
QLineEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: {accent}; }
*[invalid="true"] { border-color: {wrong}; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { background: transparent; border: none; width: 16px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/chevron-up.png); width: 8px; height: 8px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/chevron-down.png); width: 8px; height: 8px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down.png); }
QPushButton::menu-indicator { image: url(:/icons/chevron-down.png); subcontrol-position: right center; right: 4px; }
QPushButton#flat { padding: 3px 18px 3px 8px; color: {quiet}; }
QPushButton#flat[plain="true"] { padding: 3px 8px; }
QComboBox QAbstractItemView { background: {raised}; border: 1px solid {line}; selection-background-color: {accent}; outline: none; }
QPushButton, QToolButton { background: {raised}; border: 1px solid {line}; border-radius: 6px; padding: 6px 12px; }
QToolButton { padding: 5px; }
QPushButton:hover, QToolButton:hover { background: {hover}; border-color: {faint}; }
QPushButton:pressed, QToolButton:pressed { background: {window}; }
QPushButton:focus, QToolButton:focus { border-color: {accent}; }
QPushButton:disabled, QToolButton:disabled { color: {faint}; background: {panel}; }
QPushButton#primary { background: {accent}; border-color: {accent}; color: {on-accent}; font-weight: 600; padding: 9px; }
QPushButton#primary:hover { background: {accent}; }
QPushButton#primary:disabled { background: {raised}; border-color: {line}; color: {faint}; }
QPushButton#small { padding: 3px 10px; }
QPushButton#segment { padding: 3px 11px; border-radius: 5px; background: transparent; border: 1px solid transparent; color: {quiet}; }
QPushButton#segment:checked { background: {raised}; color: {text}; border-color: {line}; }
QPushButton#segment:focus { border-color: {accent}; }
QToolButton#flat, QPushButton#flat { background: transparent; border-color: transparent; }
QToolButton#flat:hover, QPushButton#flat:hover { background: {raised}; }
QToolButton#flat:checked { background: {raised}; border-color: {line}; }
QToolButton#flat:focus, QPushButton#flat:focus { border-color: {accent}; }
QProgressBar { background: {line}; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: {accent}; border-radius: 2px; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar:vertical { background: transparent; width: 9px; margin: 0; }
QScrollBar::handle:vertical { background: {faint}; border-radius: 4px; min-height: 28px; }
QScrollBar:horizontal { background: transparent; height: 9px; margin: 0; }
QScrollBar::handle:horizontal { background: {faint}; border-radius: 4px; min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; height: 0; width: 0; }
#recent { background: transparent; outline: none; }
#recent::item { padding: 6px; border-radius: 6px; color: {quiet}; }
#recent::item:hover { background: {raised}; }
#recent::item:selected { background: {raised}; color: {text}; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator, QListView::indicator { width: 13px; height: 13px; border: 1px solid {faint}; border-radius: 3px; background: {window}; }
QCheckBox::indicator:focus { border-color: {accent}; }
QCheckBox::indicator:checked, QListView::indicator:checked { background: {accent}; border-color: {accent}; image: url(:/icons/check-on-{theme}.png); }
QCheckBox::indicator:disabled { border-color: {line}; }
QToolButton[popupMode="2"] { padding-right: 18px; }
QToolButton::menu-indicator { image: url(:/icons/chevron-down.png); subcontrol-position: right center; right: 5px; }
#title { font-size: 19px; font-weight: 600; }
#caption { color: {text}; font-size: 26px; font-weight: 600; }
#caption-fact { color: {quiet}; font-size: 19px; }
#banner { background: {raised}; border-radius: 8px; }
QLabel#key { background: {raised}; border: 1px solid {line}; border-radius: 4px; padding: 1px 6px; }
#palette { font-size: 14px; }
QTableWidget { background: {panel}; border: 1px solid {line}; gridline-color: {line}; }
QHeaderView::section { background: {raised}; color: {quiet}; border: none; padding: 5px 8px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
)";

QPalette paletteOfTheme() {
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
    palette.setColor(QPalette::HighlightedText, theme::kOnAccent);
    palette.setColor(QPalette::Link, theme::kAccent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme::kFaint);
    return palette;
}

QString styleSheetOfTheme() {
    QString sheet = QString::fromLatin1(kStyleSheet);
    const std::pair<const char*, const QColor&> words[] = {
        {"{window}", theme::kWindow}, {"{panel}", theme::kPanel},     {"{raised}", theme::kRaised},
        {"{hover}", theme::kHover},   {"{line}", theme::kLine},       {"{text}", theme::kText},
        {"{quiet}", theme::kQuiet},   {"{faint}", theme::kFaint},     {"{accent}", theme::kAccent},
        {"{wrong}", theme::kWrong},   {"{warning}", theme::kWarning}, {"{on-accent}", theme::kOnAccent}};
    for (const auto& [word, color] : words) sheet.replace(QLatin1String(word), color.name());
    sheet.replace("{theme}", g_theme == Theme::Dark ? "dark" : "light");
    static const QRegularExpression kTextSize("font-size: ?(\\d+)px");
    QString out;
    qsizetype from = 0;
    for (auto found = kTextSize.globalMatch(sheet); found.hasNext();) {
        const QRegularExpressionMatch size = found.next();
        out += sheet.mid(from, size.capturedStart(1) - from);
        out += QString::number(theme::scaled(size.captured(1).toInt()));
        from = size.capturedEnd(1);
    }
    return out + sheet.mid(from);
}

}  // namespace

Theme theme::current() {
    return g_theme;
}

const QColor* theme::ownColor(const QColor& color) {
    const auto own =
        std::ranges::find_if(kColors, [&](const ThemeColor& each) { return &each.color == &color; });
    return own == kColors.end() ? nullptr : &own->color;
}

QColor theme::followed(const QColor& color) {
    if (color.alpha() != 255) return color;
    const QRgb plain = color.rgb() & 0xffffff;
    const auto same = std::ranges::find_if(
        kColors, [&](const ThemeColor& each) { return each.dark == plain || each.light == plain; });
    return same == kColors.end() ? color : same->color;
}

int theme::scaled(int pixels) {
    return int(std::lround(pixels * g_textPercent / 100.0));
}

ThemeWatch::ThemeWatch(QObject* parent) : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool ThemeWatch::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == kThemeChanged && watched == QCoreApplication::instance()) Q_EMIT changed();
    return false;
}

void applyTheme(QApplication& application, Theme theme, int textPercent) {
    const bool isFirst = !theme::kText.isValid();
    g_theme = theme;
    g_textPercent = textPercent;
    for (const ThemeColor& each : kColors) each.color = QColor(theme == Theme::Dark ? each.dark : each.light);
    if (isFirst) QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(paletteOfTheme());
    QFont font = QApplication::font();
    font.setFamilies({"Inter", "Noto Sans", "Cantarell", "DejaVu Sans"});
    font.setPixelSize(theme::scaled(13));
    QApplication::setFont(font);
    application.setStyleSheet(styleSheetOfTheme());
    QEvent changed(kThemeChanged);
    if (!isFirst) QCoreApplication::sendEvent(&application, &changed);
}

QColor backendColor(const QString& backend) {
    return onPanel(comparison::backendColor(backend.toStdString()));
}

QColor onPanel(const comparison::Rgb& rgb) {
    constexpr float kLightestOnLight = 0.42F;
    const QColor color(rgb.red, rgb.green, rgb.blue);
    if (g_theme == Theme::Dark) return color;
    return QColor::fromHslF(color.hslHueF(), color.hslSaturationF(),
                            std::min(kLightestOnLight, float(color.lightnessF())));
}

}  // namespace reelgrid::widgets
