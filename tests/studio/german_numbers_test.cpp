#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/studio/forecast_text.h"
#include "app/studio/matrix_table.h"
#include "app/studio/suite/suite_table.h"
#include "core/suite/suite_measures.h"
#include "tests/widgets/german_locale.h"

namespace reelgrid::studio {
namespace {

class GermanNumbersInTheWindow : public testing::Test {
    GermanLocale m_german;
};

TEST_F(GermanNumbersInTheWindow, AreOfForecasts) {
    protocol::RenderForecast forecast;
    forecast.device = "cpu";
    forecast.peakBytes = 12'300'000'000;
    forecast.freeBytes = 20'500'000'000;
    EXPECT_EQ(forecastText(forecast), "Memory: about 12,3 GB at most, 20,5 GB free");
    EXPECT_EQ(aboutText(9000), "about 2,5 h");
}

TEST_F(GermanNumbersInTheWindow, AreOfSuitesAndOfTheirValues) {
    const suite::SuiteMeasure* psnr = suite::suiteMeasure("psnr");
    ASSERT_NE(psnr, nullptr);
    EXPECT_TRUE(numberText(41.2, *psnr).startsWith("41,2"));
    EXPECT_EQ(axisValueText(5.5), "5,5");
    EXPECT_EQ(axisValueText(20), "20");
    EXPECT_EQ(axisValueText("wan2.1"), "wan2.1") << "a name";
}

}  // namespace
}  // namespace reelgrid::studio
