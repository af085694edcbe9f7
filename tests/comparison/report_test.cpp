#include "core/comparison/report.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/sha256.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/blind_section.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

using protocol::ModuleKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Entry rendered(const std::string& backend, double denoise, double attention) {
    Entry entry;
    entry.clip = "/out/results/" + backend + ".mp4";
    result::Timing timing;
    timing.stages = {{"load", 9}, {"text", 0.25}, {"denoise", denoise}, {"decode", 3.5}};
    timing.steps = {denoise / 4, denoise * 3 / 4};
    entry.result.timings = {timing.complete()};
    entry.result.metrics.frames = 3;
    entry.result.metrics.frameCorrelation = metrics::Series{0.98765, {0.98, 0.99}};
    entry.result.metrics.flickering = metrics::Series{0.95, {0.94, 0.96}};
    entry.result.manifest.attention = {{ModuleKind::Self, backend, backend, "", 320, attention},
                                       {ModuleKind::Cross, "sdpa", "sdpa", "", 320, 0.5}};
    protocol::RenderRequest request;
    request.attentionType = backend;
    entry.caption = captionOf(request, entry.result.manifest.attention);
    return entry;
}

/// sdpa and sagev1, twice as fast in attention.
Report twoClips() {
    Report report;
    report.modelTitle = "Miniature <1>";
    report.settings.prompt = "a <b>red</b> car";
    report.settings.task = "t2v";
    report.settings.width = 256;
    report.settings.height = 144;
    report.settings.numFrames = 33;
    report.settings.fps = 16;
    report.settings.numInferenceSteps = 20;
    report.settings.guidanceScale = 2.5;
    report.settings.seed = 42;
    report.settings.dtype = "bf16";
    report.settings.device = "cpu";
    report.entries = {rendered("sdpa", 12, 6), rendered("sagev1", 9, 3)};
    metrics::Drift& drift = report.entries[1].result.metrics.drift.emplace();
    drift.psnr = metrics::Series{31.256, {30, std::numeric_limits<double>::quiet_NaN(), 32.5}};
    drift.ssim = metrics::Series{0.91234, {0.9, 0.9, 0.9}};
    drift.measuredOn = metrics::kDecodedClips;
    report.folder = "/out";
    report.grid = "/out/comparison grid.mp4";
    return report;
}

/// The texts of the cells of the row that begins with `backend` in the table under `heading`.
std::vector<std::string> rowOf(const std::string& html, const std::string& heading,
                               const std::string& backend) {
    const std::size_t table = html.find("<h2>" + heading + "</h2><table>");
    if (table == std::string::npos) return {};
    const std::string body = html.substr(table, html.find("</table>", table) - table);
    std::size_t row = body.find("#backend-" + backend + "\"");
    if (row == std::string::npos) return {};
    row = body.find("</td>", row) + 5;
    std::vector<std::string> cells;
    const std::size_t end = body.find("</tr>", row);
    while (row < end) {
        const std::size_t begin = body.find('>', row) + 1;
        const std::size_t close = body.find("</td>", begin);
        cells.push_back(body.substr(begin, close - begin));
        row = close + 5;
    }
    return cells;
}

TEST(Report, JudgesCoherenceBesideWhatIsAskedOfIt) {
    Report report = twoClips();
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("<h2>Coherence</h2>")))
        << "nothing tells motion from a fade";
    for (Entry& entry : report.entries) {
        entry.result.metrics.gates = metrics::ClipGates{.luminanceVariance = 64, .motion = 3};
        entry.result.metrics.change = metrics::ChangeMeasures{.repeated = 0.1, .squared = 0.004};
        entry.result.metrics.warpingError = metrics::Series{0.001, {0.001, 0.001}};
    }
    metrics::ClipMetrics& fade = report.entries[1].result.metrics;
    fade.frameCorrelation->mean = 0.65;
    fade.change->repeated = 0.97;
    fade.warpingError->mean = 0.003;
    fade.independentCorrelation = 0.25;
    const std::string html = reportHtml(report);
    EXPECT_THAT(rowOf(html, "Coherence", "sdpa"),
                ElementsAre("coherent", "0.99", "yes", "yes", "–", "–", "3.00", "0.10", "0.75"));
    EXPECT_THAT(rowOf(html, "Coherence", "sagev1"),
                ElementsAre("cross-faded", "0.65", "yes", "no", "–", "0.25", "3.00", "0.97", "0.25"));
    EXPECT_THAT(html, HasSubstr("<th>a run: &gt; 0.60</th><th>a temporal module: &gt; 0.70</th>"));
    EXPECT_THAT(html, HasSubstr("motion: ≥ 0.10 codes"));
}

TEST(Report, TellsWhatAStepWentIntoAsTheMeanOfTheMeasuredOnes) {
    Report report = twoClips();
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("A step by part"))) << "nothing was measured";
    report.entries[0].result.timings[0].stepParts = {
        {{"norms", 0.25}, {"self_attention", 1}}, {}, {{"norms", 0.75}, {"self_attention", 2}}};
    report.entries[1].result.timings[0].stepParts = {{{"self_attention", 0.5}, {"<new>", 0.001}}};
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("<th>self attention</th><th>norms</th><th>&lt;new&gt;</th>"));
    EXPECT_THAT(rowOf(html, "A step by part", "sdpa"), ElementsAre("1500.0 ms", "500.0 ms", "–"));
    EXPECT_THAT(rowOf(html, "A step by part", "sagev1"), ElementsAre("500.0 ms", "–", "1.0 ms"));
}

TEST(Report, TellsTheTimesOfEachClip) {
    Report report = twoClips();
    report.entries[0].result.timings[0].frames = 5;
    const std::string html = reportHtml(report);
    // pipe, a frame, frames per second, denoise, mean step, self-attention, outside attention, decode,
    // denoise against sdpa
    EXPECT_THAT(rowOf(html, "Time", "sdpa"), ElementsAre("15.75 s", "3.15 s", "0.32", "12.00 s", "6.000 s",
                                                         "6.00 s", "5.50 s", "3.50 s", "1.00×"));
    EXPECT_THAT(rowOf(html, "Time", "sagev1"),
                ElementsAre("12.75 s", "–", "–", "9.00 s", "4.500 s", "3.00 s", "5.50 s", "3.50 s", "1.33×"));
    EXPECT_THAT(html, Not(HasSubstr("Beware"))) << "the same work took equally long";
}

TEST(Report, ClipsOfSeveralRequestsAreNotToldAsOne) {
    Report report = twoClips();
    for (Entry& entry : report.entries) entry.result.manifest.settings = report.settings;
    EXPECT_THAT(reportHtml(report), HasSubstr("<h1>a &lt;b&gt;red&lt;/b&gt; car</h1>"));
    catalog::RenderSettings& other = *report.entries[1].result.manifest.settings;
    other.prompt = "a tree";
    EXPECT_THAT(rowOf(reportHtml(report), "Time", "sagev1").back(), "1.33×") << "the same work";
    other.numInferenceSteps = 1;
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("<h1>Clips that differ in prompt and steps</h1>"));
    EXPECT_THAT(html, HasSubstr("<li>sagev1: “a tree” · "));
    EXPECT_THAT(html, Not(HasSubstr("the same work for every backend")));
    EXPECT_EQ(rowOf(html, "Time", "sdpa").back(), "1.00×");
    EXPECT_EQ(rowOf(html, "Time", "sagev1").back(), "1.33× (differs: steps)");
}

TEST(Report, MarksThatTurnATextsDirectionAreShown) {
    Report report = twoClips();
    report.settings.prompt = "a\u202egpj.";
    EXPECT_THAT(reportHtml(report), HasSubstr("<h1>a\\u202egpj.</h1>"));
}

TEST(Report, AnEmptyPromptHasATitle) {
    Report report = twoClips();
    report.settings.prompt = "";
    EXPECT_THAT(reportHtml(report), HasSubstr("<title>Without a prompt</title>"));
}

TEST(Report, TellsWhatWasMeasuredOfEachPicture) {
    const std::string html = reportHtml(twoClips());
    EXPECT_THAT(html, HasSubstr("<th>backend</th><th>frame correlation</th><th>flickering</th><th>warping "
                                "error</th><th>PSNR against sdpa</th><th>SSIM against sdpa</th>"
                                "<th>MS-SSIM against sdpa</th>"));
    EXPECT_THAT(rowOf(html, "Picture", "sdpa"), ElementsAre("0.9877", "0.9500", "–", "–", "–", "–"));
    EXPECT_THAT(rowOf(html, "Picture", "sagev1"),
                ElementsAre("0.9877", "0.9500", "–", "31.26 dB (decoded clips)", "0.9123", "–"));
}

TEST(Report, TellsWhichBackendRan) {
    Report report = twoClips();
    report.entries[1].result.manifest.attention[0].used = "sdpa";
    report.entries[1].result.manifest.attention[0].why = "head dim 512";
    protocol::RenderRequest request;
    request.attentionType = "sagev1";
    report.entries[1].caption = captionOf(request, report.entries[1].result.manifest.attention);
    const std::string html = reportHtml(report);
    EXPECT_THAT(html,
                HasSubstr("<td>sagev1</td><td class=\"text\">self</td><td class=\"text\">sagev1</td><td "
                          "class=\"text\">sdpa</td><td>320</td><td>3.00 s</td><td "
                          "class=\"text\">head dim 512</td>"));
    EXPECT_THAT(html,
                HasSubstr("sagev1 (ran sdpa): self-attention: sagev1 was asked for, sdpa ran 320 calls"));
}

TEST(Report, DrawsEachBackendInItsOwnColour) {
    const std::string html = reportHtml(twoClips());
    EXPECT_THAT(html, HasSubstr("<h2>Temporal coherence</h2>"));
    EXPECT_THAT(html, HasSubstr("<h2>Drift from sdpa</h2>"));
    EXPECT_THAT(html, HasSubstr("PSNR (dB) against sdpa over frames"));
    for (const char* backend : {"sdpa", "sagev1"})
        EXPECT_THAT(html, HasSubstr("stroke=\"" + cssColor(backendColor(backend)) + "\"")) << backend;
    EXPECT_THAT(html, Not(HasSubstr("nan")));
    EXPECT_THAT(html, HasSubstr("15.75 s</text>")) << "the bar's total, without loading";
}

TEST(Report, EscapesWordsAndLinks) {
    const std::string html = reportHtml(twoClips());
    EXPECT_THAT(html, HasSubstr("<h1>a &lt;b&gt;red&lt;/b&gt; car</h1>"));
    EXPECT_THAT(html, HasSubstr("Miniature &lt;1&gt; · t2v · 256×144 · 33 frames at 16 fps · 20 steps · "
                                "guidance 2.5 · seed 42 · bf16 on cpu"));
    EXPECT_THAT(html, HasSubstr("href=\"comparison%20grid.mp4\""));
    EXPECT_THAT(html, HasSubstr("<a href=\"results/sagev1.mp4\">sagev1</a>"));
}

TEST(Report, HasTheClipsInsideAsFarAsBrowsersPlayThem) {
    const session::SessionFolder folder;
    folder.write("sdpa.mp4", "moving pictures");
    folder.write("sagev1.mkv", "moving pictures");
    Report report = twoClips();
    report.entries[0].clip = folder.path() / "sdpa.mp4";
    report.entries[1].clip = folder.path() / "sagev1.mkv";
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("src=\"data:video/mp4;base64,bW92aW5nIHBpY3R1cmVz\""));
    EXPECT_EQ(html.find("<video"), html.rfind("<video"));
    EXPECT_THAT(html, Not(HasSubstr("id=\"together\"")));  // with one clip there is nothing to play together
    report.entries[1].clip = folder.path() / "sdpa.mp4";
    EXPECT_THAT(reportHtml(report), HasSubstr("id=\"together\""));
}

TEST(Report, DrawsTheErrorInLockstepOfEachLayerAndStep) {
    Report report = twoClips();
    EXPECT_THAT(reportHtml(report), Not(HasSubstr("lockstep")));
    const double none = std::numeric_limits<double>::quiet_NaN();
    metrics::LockstepMap& map = report.entries[0].result.metrics.lockstep.emplace();
    map.layers = 2;
    map.steps = 1;
    map.reference = "sdpa";
    map.seconds = {0.25, 0.5};
    map.stepSize = {1};
    map.backends.push_back(
        {"sagev1", {{0.99, 1}, {0.02, 0.0001}, {0.5, 0.1}}, {0.125, 0.125}, {{0.999}, {0.01}, {0.3}}, ""});
    map.backends.push_back({"<fp8>",
                            {{none, none}, {none, none}, {none, none}},
                            {none, none},
                            {{none}, {none}, {none}},
                            "no <GPU>"});
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("<h2>Error in lockstep</h2>"));
    EXPECT_THAT(html, HasSubstr("<title>sagev1, layer 0, step 0: relative L1 0.02, cosine 0.99, RMSE 0.5"));
    EXPECT_THAT(html,
                HasSubstr("<title>sagev1, step 0, whole pass: relative L1 0.01, cosine 0.999, RMSE 0.3"));
    EXPECT_THAT(html, HasSubstr("<title>&lt;fp8&gt;, layer 1, step 0: did not run: no &lt;GPU&gt;"));
    EXPECT_THAT(html, HasSubstr("0.02 (layer 0, step 0)")) << "the worst site";
    EXPECT_THAT(html, HasSubstr("0.25 s")) << "sagev1's calls";
    EXPECT_THAT(html, HasSubstr("The same calls took sdpa 0.75 s."));
    EXPECT_THAT(html, HasSubstr("fill=\"#800026\"><title>sagev1, layer 0")) << "the largest is darkest";
    EXPECT_THAT(html, HasSubstr("fill=\"#ffffcc\"><title>sagev1, layer 1")) << "the smallest is lightest";
    EXPECT_THAT(html, HasSubstr("fill=\"#d9d9d9\"><title>&lt;fp8&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("nan")));
}

TEST(Report, SaysWhatFailedAndLeavesItOut) {
    Report report = twoClips();
    report.entries[1].error = Error{ErrorCode::Io, "the disk is <full>"};
    const std::string html = reportHtml(report);
    EXPECT_THAT(html, HasSubstr("<p class=\"failed\">sagev1: the disk is &lt;full&gt;</p>"));
    EXPECT_THAT(rowOf(html, "Time", "sagev1"), testing::IsEmpty());
}

TEST(Report, LeavesVotesOfOtherClipsOutAndSaysHowMany) {
    using session::Preference;
    const session::SessionFolder folder;
    Report report = twoClips();
    const auto& a = report.entries[0].clip = folder.write("a.mp4", "a");
    const auto& b = report.entries[1].clip = folder.write("b.mp4", "b");
    const std::string other(64, '0');
    const session::BlindVote ofOther{a, b, Preference::First, other, sha256OfFile(b).value()};
    report.blindVotes = {{a, b, Preference::Second, sha256OfFile(a).value(), sha256OfFile(b).value()},
                         ofOther};
    EXPECT_THAT(blindSection(report), HasSubstr("1 vote is of other clips that were at these places"));
    EXPECT_THAT(rowOf(blindSection(report), "Blind test", "sagev1"),
                ElementsAre("1", "1", "0", "100 %", testing::_, testing::_));
    report.blindVotes = {ofOther, ofOther};
    EXPECT_THAT(blindSection(report), HasSubstr("2 votes are of other clips"));
    EXPECT_THAT(rowOf(blindSection(report), "Blind test", "sagev1"),
                ElementsAre("0", "0", "0", "–", "–", "93"));
    report.blindVotes.clear();
    EXPECT_EQ(blindSection(report), "");
}

TEST(Report, WarnsOfAMachineThatWasNotEquallyFast) {
    Report report = twoClips();
    report.entries[1] = rendered("sagev1", 20, 3);
    EXPECT_THAT(reportHtml(report), HasSubstr("took 5.50 to 16.50 s: the machine was not equally fast"));
}

}  // namespace
}  // namespace reelgrid::comparison
