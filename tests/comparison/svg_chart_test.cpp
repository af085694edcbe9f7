#include "core/comparison/svg_chart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "core/comparison/html.h"

namespace reelgrid::comparison {
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
    const std::string svg = lineChart({{"a", {1, 2, none, 3, 4}, "#123456"}}, "r");
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    const auto moves = std::count(svg.begin(), svg.end(), 'M');
    EXPECT_EQ(moves, 2);
}

TEST(SvgChart, IsAbsentWithoutValues) {
    EXPECT_EQ(stackedBars({}, "s"), "");
    EXPECT_EQ(lineChart({{"a", {1}, "#123456"}}, "r"), "");
}

TEST(SvgChart, DrawsALineAndItsLegendInTheColourOfTheClip) {
    const std::string chart = lineChart({{"a", {1, 2}, "#4f9cf9"}}, "r");
    EXPECT_THAT(chart, HasSubstr("stroke=\"#4f9cf9\""));
    EXPECT_THAT(chart, HasSubstr("fill=\"#4f9cf9\"")) << "its legend";
}

}  // namespace
}  // namespace reelgrid::comparison
