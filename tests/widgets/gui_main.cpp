#include <gtest/gtest.h>

#include <QApplication>
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
    QApplication application(argc, argv);
    reelgrid::widgets::applyTheme(application);
    return RUN_ALL_TESTS();
}
