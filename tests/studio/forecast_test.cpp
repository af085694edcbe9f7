#include <QLabel>
#include <QSpinBox>

#include "app/studio/matrix_dialog.h"
#include "app/studio/render_menu.h"
#include "tests/studio/window_fixture.h"
#include "widgets/panels/form_parts.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {
namespace {

/// The drawing worker takes a megabyte a frame of 40 that are free, in bf16 half of it.
class ForecastTest : public WindowTest {
  protected:
    [[nodiscard]] QString said() { return m_window.editor().forecast(); }
    [[nodiscard]] bool says(const char* words) {
        return waitUntil([&] { return said() == words; }, 10000) ||
               (ADD_FAILURE() << said().toStdString(), false);
    }
    [[nodiscard]] QLabel* label() {
        for (auto* each : m_window.editor().findChildren<QLabel*>())
            if (each->text() == said()) return each;
        return nullptr;
    }
    void setFrames(int frames) {
        for (auto* box : m_window.editor().findChildren<QSpinBox*>())
            if (widgets::optionOf(box) == "--num-frames") box->setValue(frames);
    }
};

TEST_F(ForecastTest, TheMemoryIsSaidBeforeAnythingIsRendered) {
    EXPECT_TRUE(says("Memory: about 33.0 MB at most, 40.0 MB free"));
    EXPECT_EQ(label()->objectName(), "aside");
    EXPECT_EQ(m_window.jobs().jobCount(), 0);
    setFrames(17);
    EXPECT_TRUE(says("Memory: about 17.0 MB at most, 40.0 MB free"));
}

TEST_F(ForecastTest, WhatDoesNotFitIsWarnedOfWithWhatTakesLess) {
    setFrames(49);
    EXPECT_TRUE(
        says("Memory: about 49.0 MB, but only 40.0 MB free. Less takes: --vae-tiling on, --dtype bf16, a "
             "smaller size or fewer frames"));
    EXPECT_EQ(label()->objectName(), "note");
    EXPECT_EQ(m_window.editor().problem(), "");  // a warning, no more
    protocol::RenderRequest request = m_window.editor().request();
    request.dtype = "bf16";
    m_window.editor().setRequest(request);
    EXPECT_TRUE(says("Memory: about 24.5 MB at most, 40.0 MB free"));
    EXPECT_EQ(label()->objectName(), "aside");
}

TEST_F(ForecastTest, WhatCantBeForetoldSaysWhy) {
    protocol::RenderRequest request = m_window.editor().request();
    request.prompt = "strange";
    request.numFrames = 17;
    m_window.editor().setRequest(request);
    EXPECT_TRUE(says("Memory not known: transformer/config.json: it is damaged"));
    // What is no request has no forecast.
    setFrames(18);
    EXPECT_TRUE(waitUntil([&] { return said().isEmpty(); }));
    EXPECT_NE(m_window.editor().problem(), "");
}

TEST_F(ForecastTest, ARenderIsForetoldWhileAnotherRuns) {
    EXPECT_TRUE(says("Memory: about 33.0 MB at most, 40.0 MB free"));
    m_window.editor().setCheckedBackends({"sdpa"});
    renderPrompt("slow");
    ASSERT_TRUE(waitUntil([&] { return !clips().empty() && clips()[0].status.progress > 0; }));
    setFrames(49);
    EXPECT_TRUE(waitUntil([&] { return said().contains("49.0 MB"); }, 2000));
    EXPECT_FALSE(allOnDisk());
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
}

TEST_F(ForecastTest, EveryRowOfAMatrixHasItsMemory) {
    setFrames(49);
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    MatrixDialog* dialog = m_window.renderMenu().openMatrix();
    dialog->setSeeds("1, 2");
    const MatrixTable& table = dialog->table();
    ASSERT_TRUE(waitUntil([&] { return table.rowCount() == 4; }));
    const auto cell = [&](int row, int role) {
        return table.data(table.index(row, MatrixTable::Memory), role);
    };
    for (int row = 0; row < 4; ++row) {
        EXPECT_TRUE(waitUntil([&] { return cell(row, Qt::DisplayRole).toString() == "about 49.0 MB"; }));
        EXPECT_EQ(cell(row, Qt::ForegroundRole).value<QColor>(), widgets::theme::kWarning);
        EXPECT_TRUE(cell(row, Qt::ToolTipRole).toString().contains("Less takes: --vae-tiling on"));
    }
    dialog->close();
}

}  // namespace
}  // namespace reelgrid::studio
