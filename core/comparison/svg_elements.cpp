#include "core/comparison/svg_elements.h"

#include "core/base/number_text.h"
#include "core/comparison/html.h"

namespace reelgrid::comparison {
namespace {

const char* nameOf(TextAnchor anchor) {
    switch (anchor) {
        case TextAnchor::Start:
            return "start";
        case TextAnchor::Middle:
            return "middle";
        case TextAnchor::End:
            break;
    }
    return "end";
}

std::string attribute(const char* name, double value) {
    return std::string(" ") + name + "=\"" + svgNumber(value) + "\"";
}

}  // namespace

std::string svgNumber(double value) {
    return fixed(value, 1);
}

std::string svgText(double x, double y, const std::string& content, TextAnchor anchor) {
    return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + nameOf(anchor) + "\">" +
           escaped(content) + "</text>";
}

std::string svgRectangle(double x, double y, double width, double height, const std::string& color) {
    return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
           attribute("height", height) + " fill=\"" + color + "\"/>";
}

std::string svgLine(double x1, double y1, double x2, double y2, const std::string& color, double width) {
    return "<line" + attribute("x1", x1) + attribute("x2", x2) + attribute("y1", y1) + attribute("y2", y2) +
           " stroke=\"" + color + "\"" + attribute("stroke-width", width) + "/>";
}

std::string svgDot(double x, double y, double radius, const std::string& color, Marker marker) {
    return "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + " fill=\"" +
           (marker == Marker::Filled ? color : std::string("#fff")) + "\" stroke=\"" + color +
           "\" stroke-width=\"2\"/>";
}

std::string svgLegend(const std::vector<SvgKey>& keys, double left) {
    std::string svg;
    double x = left;
    for (const SvgKey& key : keys) {
        svg += svgRectangle(x, 4, 12, 12, key.color) + svgText(x + 17, 15, key.name);
        x += 34 + 7.5 * double(key.name.size());
    }
    return svg;
}

std::string svgDrawing(double width, double height, const std::string& content) {
    return "<svg viewBox=\"0 0 " + svgNumber(width) + " " + svgNumber(height) + "\" role=\"img\">" + content +
           "</svg>";
}

std::string svgDocument(double width, double height, const std::string& content) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + svgNumber(width) + "\" height=\"" +
           svgNumber(height) + "\" viewBox=\"0 0 " + svgNumber(width) + " " + svgNumber(height) +
           "\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"12\">" +
           svgRectangle(0, 0, width, height, "#fff") + content + "</svg>\n";
}

}  // namespace reelgrid::comparison
