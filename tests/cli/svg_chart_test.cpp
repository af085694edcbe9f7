#include "app/cli/svg_chart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace reelgrid::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgChart, EscapesWhatComesFromOutside) {
    EXPECT_EQ(escaped("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
    const std::string svg = stackedBars({{"<b>", {{"denoise", 1.0}}}}, "s");
    EXPECT_THAT(svg, HasSubstr("&lt;b&gt;"));
    EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(SvgChart, GivesEachBarItsTotal) {
    const std::string svg =
        stackedBars({{"a", {{"text", 0.5}, {"denoise", 1.5}}}, {"b", {{"denoise", 1.0}}}}, "s");
    EXPECT_THAT(svg, HasSubstr("2.00 s"));
    EXPECT_THAT(svg, HasSubstr("1.00 s"));
}

TEST(SvgChart, LeavesAGapWhereThereIsNoValue) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const std::string svg = lineChart({{"a", {1, 2, none, 3, 4}}}, "r");
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    const auto moves = std::count(svg.begin(), svg.end(), 'M');
    EXPECT_EQ(moves, 2);
}

TEST(SvgChart, IsAbsentWithoutValues) {
    EXPECT_EQ(stackedBars({}, "s"), "");
    EXPECT_EQ(lineChart({{"a", {1}}}, "r"), "");
}

TEST(SvgChart, DrawsALineAndItsLegendInTheColourOfTheClip) {
    const std::string third = lineChart({{"a", {1, 2}, 2}}, "r");
    EXPECT_THAT(third, HasSubstr(std::string("stroke=\"") + seriesColor(2)));
    EXPECT_THAT(third, HasSubstr(std::string("fill=\"") + seriesColor(2))) << "its legend";
}

}  // namespace
}  // namespace reelgrid::cli
