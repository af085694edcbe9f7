#include "core/tune/tuning_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/version.h"
#include "core/comparison/html.h"
#include "core/comparison/report.h"
#include "core/protocol/attention_policy_json.h"
#include "core/tune/pareto_chart.h"

namespace reelgrid::tune {
namespace {

using comparison::cell;
using comparison::escaped;
using comparison::number;
using nlohmann::json;

json numberJson(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json toJson(const TimeAndQuality& point) {
    return {{"seconds", numberJson(point.seconds)}, {"quality", numberJson(point.quality)}};
}

json renderJson(const Tuning& tuning, const TuningRender& render) {
    json object = {{"name", render.name},
                   {"kind", render.assignment ? "policy" : "backend"},
                   {"policy", protocol::toJson(render.policy)},
                   {"clip", render.clip.string()},
                   {"measured", toJson(render.measured)},
                   {"meets_budget", tuning.budget.isMetBy(render.measured.quality)}};
    if (render.predicted) object["predicted"] = toJson(*render.predicted);
    const auto put = [&](const char* key, const std::optional<double>& value) {
        if (value) object["measured"][key] = numberJson(*value);
    };
    put("attention_seconds", render.attentionSeconds);
    put("denoise_seconds", render.denoiseSeconds);
    if (render.warmUpSeconds > 0) put("warm_up_seconds", render.warmUpSeconds);
    put("psnr", render.psnr);
    put("ssim", render.ssim);
    put("l1", render.l1);
    put("cosine", render.cosine);
    return object;
}

std::string renderTable(const Tuning& tuning, const std::filesystem::path& folder) {
    const Verdict verdict = verdictOf(tuning);
    const QualityInfo& info = infoOf(tuning.budget.quality);
    const std::string unit = *info.unit != '\0' ? std::string(" ") + info.unit : "";
    std::string rows;
    for (std::size_t i = 0; i < tuning.renders.size(); ++i) {
        const TuningRender& render = tuning.renders[i];
        const auto predictedOf = [&](double TimeAndQuality::*figure) {
            return render.predicted ? std::optional((*render.predicted).*figure) : std::nullopt;
        };
        rows += "<tr><td><a href=\"" + comparison::link(render.clip, folder) + "\">" + escaped(render.name) +
                "</a>" + (verdict.chosen == i ? " <b>chosen</b>" : "") + "</td>" +
                cell(number(predictedOf(&TimeAndQuality::seconds), 2, " s")) +
                cell(number(render.measured.seconds, 2, " s")) +
                cell(number(predictedOf(&TimeAndQuality::quality), info.decimals, unit)) +
                cell(number(render.measured.quality, info.decimals, unit)) +
                cell(tuning.budget.isMetBy(render.measured.quality) ? "yes" : "no") +
                cell(number(render.denoiseSeconds, 2, " s")) + cell(number(render.psnr, 2, " dB")) +
                cell(number(render.ssim, 4)) + cell(number(render.l1, 4)) + cell(number(render.cosine, 6)) +
                "</tr>";
    }
    return "<h2>Renders</h2><table><tr><th>render</th><th>predicted</th><th>measured</th><th>" +
           escaped(std::string("predicted ") + info.name) + "</th><th>" +
           escaped(std::string("measured ") + info.name) +
           "</th><th>within</th><th>denoise, "
           "wall</th><th>PSNR</th><th>SSIM</th><th>L1</th><th>cosine</th></tr>" +
           rows + "</table>";
}

std::string howItIsMeasured(const Tuning& tuning) {
    std::string html =
        "<p class=\"note\">PSNR and SSIM are of the frames, L1 and cosine of the final latents, "
        "all against the sdpa clip.";
    html += tuning.timesAttention
                ? " Times are of self-attention, at the speed that the machine had for the sdpa clip: each "
                  "render's seconds times what denoising outside attention, the same work in all of them, "
                  "took there over what it took here."
                : " Times are of denoising: single calls can't be timed on this device.";
    if (const std::string warmUp = warmUpText(tuning); !warmUp.empty())
        html += " " + escaped(warmUp) + " The column \"denoise, wall\" has it.";
    if (tuning.floorQuality)
        html += " " + escaped(tuning.floorBackend) + " computes what sdpa computes: its " +
                escaped(qualityText(tuning.budget.quality, *tuning.floorQuality)) +
                " is the noise floor, rounding alone; nothing that isn't sdpa throughout is predicted to do "
                "better.";
    return html + "</p>";
}

std::string policySection(const Tuning& tuning) {
    const Verdict verdict = verdictOf(tuning);
    if (!verdict.chosen) return {};
    const TuningRender& chosen = tuning.renders[*verdict.chosen];
    std::string rules;
    for (const protocol::AttentionRule& rule : chosen.policy.rules)
        rules += "<li>" + escaped(describe(rule)) + "</li>";
    return "<h2>The policy</h2>" +
           (chosen.assignment ? assignmentMap(tuning, *chosen.assignment) : std::string()) +
           "<details><summary>" + std::to_string(chosen.policy.rules.size()) +
           " rules, the first that fits a call decides</summary><ol>" + rules + "</ol></details>";
}

}  // namespace

json toJson(const Tuning& tuning) {
    const Verdict verdict = verdictOf(tuning);
    json document = {{"budget", tuning.budget.text()},
                     {"quality", infoOf(tuning.budget.quality).key},
                     {"seconds_of", tuning.timesAttention ? "self_attention" : "denoise"},
                     {"prompt", tuning.prompt},
                     {"layers", tuning.layers},
                     {"steps", tuning.steps},
                     {"backends", tuning.backends},
                     {"verdict", verdictText(tuning)},
                     {"renders", json::array()},
                     {"curve", json::array()}};
    if (tuning.floorQuality)
        document["noise_floor"] = {{"backend", tuning.floorBackend},
                                   {"quality", numberJson(*tuning.floorQuality)}};
    for (const TuningRender& render : tuning.renders)
        document["renders"].push_back(renderJson(tuning, render));
    for (const TimeAndQuality& point : tuning.curve) document["curve"].push_back(toJson(point));
    if (verdict.chosen) document["chosen"] = tuning.renders[*verdict.chosen].name;
    if (verdict.bestSingle) document["best_single"] = tuning.renders[*verdict.bestSingle].name;
    return document;
}

std::string tuningHtml(const Tuning& tuning, const std::filesystem::path& folder) {
    const std::string title = "Attention policy within " + tuning.budget.text();
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
           "</title><style>" + comparison::pageStyle() + "</style></head><body><h1>" + escaped(title) +
           "</h1><p>" + escaped(tuning.prompt) + "</p><p>" + escaped(verdictText(tuning)) + "</p>" +
           "<h2>Quality over time</h2>" + paretoChart(tuning) +
           "<p class=\"note\">Dots are single backends, squares policies with their numbers, both as "
           "measured; a "
           "hollow dot is what was predicted of the policy that it is joined to. The line is the predicted "
           "curve after the last "
           "calibration.</p>" +
           renderTable(tuning, folder) + howItIsMeasured(tuning) + policySection(tuning) +
           "<p class=\"note\">" + std::string(comparison::kReportMark) + " " + kVersion +
           ".</p></body></html>\n";
}

}  // namespace reelgrid::tune
