#include <gtest/gtest.h>

#include <QApplication>

#include "widgets/theme/theme.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    reelgrid::widgets::applyTheme(application);
    return RUN_ALL_TESTS();
}
