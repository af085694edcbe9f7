#include "core/tune/pareto_chart.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/number_text.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/html.h"

namespace reelgrid::tune {
namespace {

using comparison::escaped;

constexpr double kWidth = 900, kHeight = 380;
constexpr double kLeft = 80, kRight = 30, kTop = 30, kBottom = 50;

std::string at(double value) {
    return fixed(value, 1);
}

std::string text(double x, double y, const std::string& content, const char* anchor = "start") {
    return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" +
           escaped(content) + "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" " +
           style + "/>";
}

std::string colorOf(const std::string& backend) {
    return comparison::cssColor(comparison::backendColor(backend));
}

/// The values that the chart has room for. What equals sdpa (PSNR 100, SSIM 1) has its place at the edge.
struct Plane {
    double left = 0, right = 1, low = 0, high = 1;

    [[nodiscard]] double x(double seconds) const {
        const double share = (seconds - left) / (right - left);
        return kLeft + (kWidth - kLeft - kRight) * std::clamp(share, 0.0, 1.0);
    }
    [[nodiscard]] double y(double quality) const {
        const double share = (quality - low) / (high - low);
        return kHeight - kBottom - (kHeight - kTop - kBottom) * std::clamp(share, 0.0, 1.0);
    }
};

Plane planeOf(const Tuning& tuning) {
    std::vector<double> seconds, qualities{tuning.budget.value};
    if (tuning.floorQuality) qualities.push_back(*tuning.floorQuality);
    for (const TuningRender& render : tuning.renders) {
        seconds.push_back(render.measured.seconds);
        if (render.predicted) seconds.push_back(render.predicted->seconds);
        // Equal clips would squeeze all the others together.
        if (errorOf(tuning.budget.quality, render.measured.quality) > 0) {
            qualities.push_back(render.measured.quality);
            if (render.predicted) qualities.push_back(render.predicted->quality);
        }
    }
    for (const TimeAndQuality& point : tuning.curve) seconds.push_back(point.seconds);
    const auto [left, right] = std::ranges::minmax(seconds);
    const auto [low, high] = std::ranges::minmax(qualities);
    const double marginX = std::max(0.06 * (right - left), 1e-6),
                 marginY = std::max(0.1 * (high - low), 1e-9);
    return {std::max(0.0, left - marginX), right + marginX, low - marginY, high + marginY};
}

std::string axes(const Tuning& tuning, const Plane& plane) {
    const QualityInfo& info = infoOf(tuning.budget.quality);
    std::string svg;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double quality = plane.low + share * (plane.high - plane.low);
        const double seconds = plane.left + share * (plane.right - plane.left);
        svg += line(kLeft, plane.y(quality), kWidth - kRight, plane.y(quality), "stroke=\"#e4e4e4\"") +
               text(kLeft - 8, plane.y(quality) + 4, fixed(quality, std::max(2, info.decimals - 1)), "end") +
               text(plane.x(seconds), kHeight - kBottom + 18, fixed(seconds, 2), "middle");
    }
    const std::string unit = *info.unit != '\0' ? std::string(" (") + info.unit + ")" : "";
    return svg + text(kLeft, 16, info.name + unit + " against sdpa") +
           text((kLeft + kWidth) / 2, kHeight - 10,
                std::string("seconds of ") + (tuning.timesAttention ? "self-attention" : "denoising"),
                "middle");
}

std::string levels(const Tuning& tuning, const Plane& plane) {
    const double y = plane.y(tuning.budget.value);
    std::string svg = line(kLeft, y, kWidth - kRight, y, "stroke=\"#b00020\" stroke-dasharray=\"6 4\"") +
                      text(kWidth - kRight, y - 5, "budget " + tuning.budget.text(), "end");
    if (!tuning.floorQuality) return svg;
    const double floor = plane.y(*tuning.floorQuality);
    return svg + line(kLeft, floor, kWidth - kRight, floor, "stroke=\"#777\" stroke-dasharray=\"2 4\"") +
           text(kLeft + 6, floor - 5, "noise floor: sdpa against " + tuning.floorBackend);
}

std::string curveOf(const Tuning& tuning, const Plane& plane) {
    std::string path;
    for (const TimeAndQuality& point : tuning.curve)
        path += (path.empty() ? "M" : "L") + at(plane.x(point.seconds)) + " " + at(plane.y(point.quality));
    return "<path d=\"" + path + "\" fill=\"none\" stroke=\"#999\" stroke-width=\"1.5\"/>";
}

std::string titleOf(const Tuning& tuning, const TuningRender& render) {
    const auto figures = [&](const TimeAndQuality& of) {
        return fixed(of.seconds, 2) + " s, " + qualityText(tuning.budget.quality, of.quality);
    };
    std::string words = render.name + ": measured " + figures(render.measured);
    if (render.predicted) words += "; predicted " + figures(*render.predicted);
    return "<title>" + escaped(words) + "</title>";
}

/// A point's name to its right or, near the right edge, to its left.
std::string besides(double x, double y, const std::string& name) {
    return x > 0.85 * kWidth ? text(x - 9, y + 4, name, "end") : text(x + 9, y + 4, name);
}

std::string pointOf(const Tuning& tuning, const Plane& plane, const TuningRender& render) {
    const double x = plane.x(render.measured.seconds), y = plane.y(render.measured.quality);
    // A clip that equals sdpa's has its place at the upper edge, wherever that is.
    const bool isEqual = errorOf(tuning.budget.quality, render.measured.quality) == 0;
    if (!render.assignment)
        return "<circle cx=\"" + at(x) + "\" cy=\"" + at(y) + "\" r=\"6\" fill=\"" + colorOf(render.name) +
               "\">" + titleOf(tuning, render) + "</circle>" +
               besides(x, y, render.name + (isEqual ? " (equal)" : ""));
    std::string svg;
    if (render.predicted) {
        const double px = plane.x(render.predicted->seconds), py = plane.y(render.predicted->quality);
        svg = line(px, py, x, y, "stroke=\"#555\" stroke-width=\"0.8\"") + "<circle cx=\"" + at(px) +
              "\" cy=\"" + at(py) + "\" r=\"4\" fill=\"#fff\" stroke=\"#222\">" + titleOf(tuning, render) +
              "</circle>";
    }
    return svg + "<rect x=\"" + at(x - 5) + "\" y=\"" + at(y - 5) +
           "\" width=\"10\" height=\"10\" fill=\"#222\">" + titleOf(tuning, render) + "</rect>" +
           besides(x, y, render.name.substr(render.name.find(' ') + 1));
}

}  // namespace

std::string paretoChart(const Tuning& tuning) {
    if (tuning.renders.empty()) return {};
    const Plane plane = planeOf(tuning);
    std::string svg = axes(tuning, plane) + levels(tuning, plane) + curveOf(tuning, plane);
    for (const TuningRender& render : tuning.renders) svg += pointOf(tuning, plane, render);
    return "<svg viewBox=\"0 0 " + at(kWidth) + " " + at(kHeight) + "\" role=\"img\">" + svg + "</svg>";
}

std::string assignmentMap(const Tuning& tuning, const Assignment& assignment) {
    constexpr double kRow = 18, kLegend = 26;
    const double pitch = std::min(40.0, (kWidth - kLeft - kRight) / tuning.steps);
    std::string svg;
    std::set<int> used(assignment.begin(), assignment.end());
    double x = kLeft;
    for (const int backend : used) {
        const std::string& name = tuning.backends[std::size_t(backend)];
        svg += "<rect x=\"" + at(x) + "\" y=\"4\" width=\"12\" height=\"12\" fill=\"" + colorOf(name) +
               "\"/>" + text(x + 17, 15, name);
        x += 40 + 7.5 * double(name.size());
    }
    for (int layer = 0; layer < tuning.layers; ++layer) {
        const double y = kLegend + kRow * layer;
        svg += text(kLeft - 6, y + 13, "layer " + std::to_string(layer), "end");
        for (int step = 0; step < tuning.steps; ++step) {
            const std::string& name = tuning.backends[std::size_t(
                assignment[std::size_t(step) * std::size_t(tuning.layers) + std::size_t(layer)])];
            svg +=
                "<rect x=\"" + at(kLeft + pitch * step) + "\" y=\"" + at(y) + "\" width=\"" +
                at(pitch - 0.6) + "\" height=\"" + at(kRow - 0.6) + "\" fill=\"" + colorOf(name) +
                "\"><title>" +
                escaped("layer " + std::to_string(layer) + ", step " + std::to_string(step) + ": " + name) +
                "</title></rect>";
        }
    }
    const double bottom = kLegend + kRow * tuning.layers;
    const int every = std::max(1, int(std::ceil(24 / pitch)));
    for (int step = 0; step < tuning.steps; step += every)
        svg += text(kLeft + pitch * (step + 0.5), bottom + 14, std::to_string(step), "middle");
    svg += text(kLeft + pitch * tuning.steps / 2, bottom + 30, "denoising step", "middle");
    return "<svg viewBox=\"0 0 " + at(kWidth) + " " + at(bottom + 34) + "\" role=\"img\">" + svg + "</svg>";
}

}  // namespace reelgrid::tune
