#include "core/comparison/svg_elements.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/utf8.h"
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

// Pixels that letters take at the drawings' 12, as far as can be told without the font.
constexpr double kLetterWidth = 7.5;
constexpr double kWideLetterWidth = 13;  // Chinese, Japanese and Korean ones, emoji

struct Letter {
    std::string bytes;
    double width;
};

std::vector<Letter> lettersOf(const std::string& text) {
    std::vector<Letter> letters;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = std::max<std::size_t>(1, utf8LengthAt(text, at));
        // Those of three bytes from U+3000 on.
        const bool isWide = length == 4 || (length == 3 && static_cast<unsigned char>(text[at]) > 0xe2);
        letters.push_back({text.substr(at, length), isWide ? kWideLetterWidth : kLetterWidth});
        at += length;
    }
    return letters;
}

double widthOf(const std::vector<Letter>& letters) {
    double width = 0;
    for (const Letter& letter : letters) width += letter.width;
    return width;
}

/// Its beginning and its end, as much of each as there is room for.
std::string shortened(const std::vector<Letter>& letters, double width) {
    std::string head, tail;
    double left = width - kLetterWidth;
    std::size_t first = 0, end = letters.size();
    while (first < end) {
        const bool isOfHead = head.size() <= tail.size();
        const Letter& next = isOfHead ? letters[first] : letters[end - 1];
        if (next.width > left) break;
        left -= next.width;
        if (isOfHead) {
            head += next.bytes;
            ++first;
        } else {
            tail = next.bytes + tail;
            --end;
        }
    }
    return head + "…" + tail;
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

std::string svgName(double x, double y, const std::string& name, double width, TextAnchor anchor) {
    const std::vector<Letter> letters = lettersOf(name);
    if (widthOf(letters) <= width) return svgText(x, y, name, anchor);
    return "<g><title>" + escaped(name) + "</title>" + svgText(x, y, shortened(letters, width), anchor) +
           "</g>";
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

SvgLegend svgLegend(const std::vector<SvgKey>& keys, double left, double right) {
    constexpr double kBeforeName = 17, kAfterName = 17, kWidestName = 170;
    constexpr double kRowPitch = 18, kBelow = 26;
    std::string svg;
    double x = left, y = 0;
    for (const SvgKey& key : keys) {
        const double width = kBeforeName + std::min(kWidestName, widthOf(lettersOf(key.name)));
        if (x > left && x + width > right) {
            x = left;
            y += kRowPitch;
        }
        svg += svgRectangle(x, y + 4, 12, 12, key.color) +
               svgName(x + kBeforeName, y + 15, key.name, kWidestName);
        x += width + kAfterName;
    }
    return {svg, y + kBelow};
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
