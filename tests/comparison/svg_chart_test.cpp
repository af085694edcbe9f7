#include "core/comparison/svg_chart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <regex>

#include "core/comparison/html.h"
#include "core/comparison/svg_elements.h"

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

/// Where a legend's names begin.
std::vector<std::pair<double, double>> placesOfNames(const std::string& svg) {
    static const std::regex text("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\"");
    std::vector<std::pair<double, double>> places;
    for (std::sregex_iterator each(svg.begin(), svg.end(), text), end; each != end; ++each)
        places.emplace_back(std::stod((*each)[1]), std::stod((*each)[2]));
    return places;
}

TEST(SvgLegend, TakesAnotherRowRatherThanRunningOver) {
    constexpr double kRight = 750, kWidest = 200;
    std::vector<SvgKey> keys;
    for (int i = 0; i < 64; ++i)
        keys.push_back(
            {"a long name of a clip that several words tell from others, " + std::to_string(i), "#123456"});
    const SvgLegend legend = svgLegend(keys, 64, kRight);
    const auto places = placesOfNames(legend.svg);
    ASSERT_EQ(places.size(), 64U);
    for (const auto& [x, y] : places) {
        EXPECT_GE(x, 64);
        EXPECT_LE(x, kRight - kWidest + 30);
        EXPECT_LT(y, legend.height);
    }
    EXPECT_LT(legend.height, 64 / 3 * 18 + 60) << "three beside each other, shortened";
    EXPECT_EQ(svgLegend({keys.front()}, 64, kRight).height, 26);
    EXPECT_EQ(svgLegend({}, 64, kRight).height, 26);
}

TEST(SvgLegend, ShortensALongNameInItsMiddleAndKeepsItInATooltip) {
    const std::string name = "fav3_sage+policy-" + std::string(200, 'x') + " (ran sdpa)";
    const std::string svg = svgLegend({{name, "#123456"}}, 0, 700).svg;
    EXPECT_THAT(svg, HasSubstr("<title>" + name + "</title>"));
    EXPECT_THAT(svg, HasSubstr(">fav3_sage+"));
    EXPECT_THAT(svg, HasSubstr("(ran sdpa)</text>"));
    EXPECT_THAT(svg, Not(HasSubstr(">" + name + "</text>")));
    EXPECT_THAT(svgLegend({{"fav2", "#123456"}}, 0, 700).svg, Not(HasSubstr("title")));
}

TEST(SvgLegend, CutsBetweenLettersOfSeveralBytes) {
    std::string name;
    for (int i = 0; i < 60; ++i) name += "猫";
    const std::string svg = svgLegend({{name, "#123456"}}, 0, 700).svg;
    std::smatch shown;
    ASSERT_TRUE(std::regex_search(svg, shown, std::regex(">([^<]+)</text>")));
    const std::string text = shown[1];
    const std::size_t middle = text.find("…");
    ASSERT_NE(middle, std::string::npos);
    EXPECT_EQ(middle % 3, 0U);
    EXPECT_GT(middle, 3U);
    EXPECT_TRUE(text.starts_with("猫") && text.ends_with("猫")) << text;
    EXPECT_LT(text.size(), 45U) << "letters of these are wide";
}

TEST(SvgChart, CurvesOfManyClipsLieBelowTheirLegend) {
    std::vector<Line> lines;
    for (int i = 0; i < 64; ++i) lines.push_back({"clip " + std::to_string(i), {1, 2}, "#123456"});
    const std::string svg = lineChart(lines, "r");
    std::smatch size, start;
    ASSERT_TRUE(std::regex_search(svg, size, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
    // The curves end at the plot's upper edge.
    ASSERT_TRUE(std::regex_search(svg, start, std::regex("L[0-9.]+ ([0-9.]+)")));
    const double top = std::stod(start[1]);
    for (int i = 0; i < 64; ++i) {
        const std::string name = ">clip " + std::to_string(i) + "</text>";
        EXPECT_THAT(svg, HasSubstr(name));
    }
    const auto places = placesOfNames(svg);
    for (int i = 0; i < 64; ++i) {
        EXPECT_LT(places[std::size_t(i)].first, std::stod(size[1]) - 50) << i;
        EXPECT_LT(places[std::size_t(i)].second, top) << i;
    }
    EXPECT_GT(std::stod(size[2]), top + 200);
    EXPECT_THAT(svg, HasSubstr("<title>clip 63</title></path>"));
}

}  // namespace
}  // namespace reelgrid::comparison
