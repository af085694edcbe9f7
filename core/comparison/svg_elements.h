#pragma once

#include <string>
#include <vector>

namespace reelgrid::comparison {

/// What the charts are drawn with: strings of SVG, in pixels of the drawing's own coordinates.

enum class TextAnchor { Start, Middle, End };
std::string svgText(double x, double y, const std::string& content, TextAnchor anchor = TextAnchor::Start);
/// A name within about `width`: a longer one is shortened in its middle, and whole in its tooltip.
std::string svgName(double x, double y, const std::string& name, double width,
                    TextAnchor anchor = TextAnchor::Start);
std::string svgRectangle(double x, double y, double width, double height, const std::string& color);
std::string svgLine(double x1, double y1, double x2, double y2, const std::string& color, double width = 1);
enum class Marker { Filled, Hollow };
std::string svgDot(double x, double y, double radius, const std::string& color, Marker marker);

/// A number as an attribute.
std::string svgNumber(double value);

struct SvgKey {
    std::string name;
    std::string color;
};
struct SvgLegend {
    std::string svg;
    double height = 0;
};
/// Names beside squares of their colours, in as many rows as they need between `left` and `right`; long ones
/// are shortened.
SvgLegend svgLegend(const std::vector<SvgKey>& keys, double left, double right);

/// A drawing that stands in a page, whose style sets its font.
std::string svgDrawing(double width, double height, const std::string& content);
/// A file of its own, on white.
std::string svgDocument(double width, double height, const std::string& content);

}  // namespace reelgrid::comparison
