#include <gtest/gtest.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <QApplication>
#include <QLocale>
#include <QTemporaryDir>
#include <fstream>
#include <string>

#include "widgets/theme/theme.h"

namespace {

/// ctest starts one display for all cases (tests/start-display) and says here where its name is.
void useTheTestDisplay() {
    const QByteArray file = qgetenv("REELGRID_DISPLAY_FILE");
    if (file.isEmpty()) return;
    std::string display;
    std::ifstream(file.toStdString()) >> display;
    qputenv("DISPLAY", QByteArray::fromStdString(display));
    qputenv("QT_QPA_PLATFORM", "xcb");
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    // The build asks for the names of the cases, where there may be no display.
    if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
    useTheTestDisplay();
    // Settings and unsaved work of whoever runs the tests are theirs.
    const QTemporaryDir home;
    for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) qputenv(place, home.path().toLocal8Bit());
    QApplication application(argc, argv);
    // Numbers are expected with points, whoever runs the tests.
    QLocale::setDefault(QLocale::c());
    reelgrid::widgets::applyTheme(application);
    const int result = RUN_ALL_TESTS();
#ifdef __SANITIZE_ADDRESS__
    // While the OpenGL driver is loaded: later on its leaks could not be told from ours.
    __lsan_do_leak_check();
#endif
    return result;
}
