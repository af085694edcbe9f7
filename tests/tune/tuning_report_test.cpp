#include "core/tune/tuning_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace reelgrid::tune {
namespace {

using testing::HasSubstr;
using testing::Not;

TuningRender single(const std::string& name, double seconds, double psnr) {
    TuningRender render;
    render.name = name;
    render.policy.rules = {{.backend = name}};
    render.measured = {seconds, psnr};
    render.psnr = psnr;
    render.clip = "/out/p.files/" + name + ".mp4";
    return render;
}

TuningRender mixed(const std::string& name, double seconds, double psnr) {
    TuningRender render = single(name, seconds, psnr);
    render.assignment = Assignment{0, 1};
    render.policy.rules = {{.backend = "fav2", .layers = protocol::IndexRange{0, 0}}, {.backend = "sage<1>"}};
    render.predicted = TimeAndQuality{seconds + 0.5, psnr + 1};
    return render;
}

Tuning tuned() {
    Tuning tuning;
    tuning.budget = budgetFrom("psnr>=40").value();
    tuning.prompt = "a <b>red</b> car";
    tuning.timesAttention = true;
    tuning.layers = 2;
    tuning.steps = 1;
    tuning.backends = {"fav2", "sage<1>"};
    tuning.renders = {single("sdpa", 8, 100), single("fav2", 6, 55), single("sage<1>", 2, 31)};
    tuning.floorBackend = "fav2";
    tuning.floorQuality = 55;
    tuning.curve = {{6, 55}, {2, 31}};
    return tuning;
}

TEST(Tuning, ChoosesTheFastestThatWasMeasuredWithinTheBudget) {
    Tuning tuning = tuned();
    tuning.renders.push_back(mixed("policy 1", 3, 39.9));
    tuning.renders.push_back(mixed("policy 2", 4.5, 41));
    const Verdict verdict = verdictOf(tuning);
    EXPECT_EQ(verdict.bestSingle, 1u);
    EXPECT_EQ(verdict.chosen, 4u);
    EXPECT_THAT(verdictText(tuning), HasSubstr("takes 25.0 % less"));
}

TEST(Tuning, SaysSoWhenNoMixtureBeatsASingleBackend) {
    Tuning tuning = tuned();
    tuning.renders.push_back(mixed("policy 1", 6, 54));
    EXPECT_EQ(verdictOf(tuning).chosen, 1u) << "as fast is not faster";
    EXPECT_THAT(verdictText(tuning),
                HasSubstr("No mixed policy was found within psnr>=40 that is faster than fav2"));
}

TEST(Tuning, DoesNotChooseABackendThatWasRenderedForTheFloorAlone) {
    Tuning tuning = tuned();
    tuning.backends = {"sage<1>"};
    EXPECT_FALSE(verdictOf(tuning).chosen);
    EXPECT_THAT(verdictText(tuning), HasSubstr("No policy over these backends meets psnr>=40"));
}

TEST(TuningReport, HasPredictedAndMeasuredFiguresSideBySide) {
    Tuning tuning = tuned();
    tuning.renders.push_back(mixed("policy 1", 4.5, 41));
    const nlohmann::json document = toJson(tuning);
    EXPECT_EQ(document["chosen"], "policy 1");
    EXPECT_EQ(document["best_single"], "fav2");
    EXPECT_EQ(document["renders"][3]["predicted"],
              nlohmann::json::parse(R"({"seconds": 5.0, "quality": 42.0})"));
    EXPECT_EQ(document["renders"][3]["measured"]["quality"], 41);
    EXPECT_EQ(document["renders"][3]["policy"]["rules"].size(), 2u);
    EXPECT_FALSE(document["renders"][0].contains("predicted"));
    EXPECT_EQ(document["noise_floor"]["quality"], 55);
    EXPECT_EQ(document["curve"].size(), 2u);

    const std::string html = tuningHtml(tuning, "/out");
    EXPECT_THAT(html, HasSubstr("a &lt;b&gt;red&lt;/b&gt; car"));
    EXPECT_THAT(html,
                HasSubstr("<td>5.00 s</td><td>4.50 s</td><td>42.00 dB</td><td>41.00 dB</td><td>yes</td>"));
    EXPECT_THAT(html, HasSubstr("href=\"p.files/policy%201.mp4\""));
    EXPECT_THAT(html, HasSubstr("noise floor: sdpa against fav2"));
    EXPECT_THAT(html, HasSubstr("layer 1, step 0: sage&lt;1&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("nan")));
    EXPECT_THAT(html, Not(HasSubstr("sage<1>")));
}

TEST(TuningReport, SaysWhatTheTimesLeaveOut) {
    Tuning tuning = tuned();
    tuning.timesAttention = false;
    EXPECT_EQ(warmUpText(tuning), "");
    EXPECT_THAT(tuningHtml(tuning, "/out"), Not(HasSubstr("leave out")));
    EXPECT_FALSE(toJson(tuning)["renders"][0]["measured"].contains("warm_up_seconds"));
    tuning.renders[0].warmUpSeconds = 0.3;
    tuning.renders[0].denoiseSeconds = 8.3;
    tuning.renders[2].warmUpSeconds = 5.6;
    EXPECT_THAT(warmUpText(tuning), HasSubstr(": sdpa (0.30 s), sage<1> (5.60 s)."));
    EXPECT_THAT(tuningHtml(tuning, "/out"), HasSubstr("sdpa (0.30 s), sage&lt;1&gt; (5.60 s)."));
    const nlohmann::json measured = toJson(tuning)["renders"][0]["measured"];
    EXPECT_EQ(measured["seconds"], 8);
    EXPECT_EQ(measured["denoise_seconds"], 8.3);
    EXPECT_EQ(measured["warm_up_seconds"], 0.3);
}

}  // namespace
}  // namespace reelgrid::tune
