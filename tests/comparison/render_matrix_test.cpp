#include "core/comparison/render_matrix.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "tests/machine/machines.h"

namespace reelgrid::comparison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

families::ModelInfo model(const std::string& id) {
    families::ModelInfo model;
    model.id = id;
    model.title = "Model " + id;
    model.tasks = {{.name = "t2v"}};
    model.defaults.task = "t2v";
    model.defaults.width = id == "small" ? 64 : 128;
    model.defaults.height = 64;
    model.defaults.numFrames = 5;
    model.defaults.numInferenceSteps = 20;
    model.defaults.fps = 16;
    model.sizes.sizeMultiple = 16;
    model.layers = 2;
    return model;
}

protocol::RenderRequest request() {
    protocol::RenderRequest request;
    request.model = "small";
    request.prompt = "a car";
    request.device = "cpu";
    request.width = 96;
    return request;
}

TEST(Matrix, OfNothingIsTheRequestItself) {
    const auto jobs = matrixJobs(request(), {.models = {model("small")}}, machine::withoutGpu());
    ASSERT_TRUE(jobs) << jobs.error().message;
    ASSERT_EQ(jobs->size(), 1U);
    EXPECT_EQ(jobs->front().request, request());
}

TEST(Matrix, PutsWhatIsComparedTogetherTheReferenceFirst) {
    protocol::AttentionPolicy policy;
    policy.rules.push_back({.backend = "sdpa", .steps = protocol::IndexRange{0, 1}});
    const auto jobs = matrixJobs(request(),
                                 {.prompts = {"a car", "a cat"},
                                  .seeds = {1, 2},
                                  .models = {model("small"), model("large")},
                                  .backends = {"fav2", "sdpa"},
                                  .policies = {{"", {}}, {"early", policy}},
                                  .steps = {4, 8}},
                                 machine::withoutGpu());
    ASSERT_TRUE(jobs) << jobs.error().message;
    ASSERT_EQ(jobs->size(), 2U * 2 * 2 * 2 * 2 * 2);
    EXPECT_EQ(jobs->back().subject, 15);
    std::set<std::string> different;
    for (std::size_t i = 0; i < jobs->size(); ++i) {
        const MatrixJob& job = (*jobs)[i];
        EXPECT_EQ(job.subject, int(i / 4));
        EXPECT_EQ(job.request.attentionType, i % 2 == 0 ? "sdpa" : "fav2");
        EXPECT_EQ(job.policy, i % 4 < 2 ? "" : "early");
        EXPECT_EQ(job.request.attentionPolicy.empty(), i % 4 < 2);
        different.insert(job.request.prompt + std::to_string(job.request.seed) + job.request.model +
                         std::to_string(*job.request.numInferenceSteps));
        // The request's width is the small model's; another model has its own.
        EXPECT_EQ(job.request.width, job.request.model == "small" ? std::optional(96) : std::nullopt);
        EXPECT_EQ(job.request.device, "cpu");
    }
    EXPECT_EQ(different.size(), 16U);
}

TEST(Matrix, StepCachesAreAnAxisTheWholeRenderFirst) {
    MatrixAxes axes{.models = {model("small")}, .backends = {"fav2", "sdpa"}};
    axes.models[0].extraFields.push_back("step_cache");
    axes.stepCaches = *stepCachesFrom("taylorseer:3, 0.28,0, 0.28");
    ASSERT_EQ(axes.stepCaches.size(), 3U);
    const auto jobs = matrixJobs(request(), axes, machine::withoutGpu());
    ASSERT_TRUE(jobs) << jobs.error().message;
    std::vector<std::string> names;
    for (const MatrixJob& job : *jobs) {
        EXPECT_EQ(job.subject, 0);
        names.push_back(job.request.attentionType + " " + textOf(job.request.stepCache));
    }
    EXPECT_THAT(names, ElementsAre("sdpa 0", "fav2 0", "sdpa taylorseer:3", "fav2 taylorseer:3", "sdpa 0.28",
                                   "fav2 0.28"));
    EXPECT_THAT(stepCachesFrom("0.28, slow").error().message, HasSubstr("step caches: --step-cache slow"));
    EXPECT_TRUE(stepCachesFrom(" ")->empty());
}

TEST(Matrix, SaysWhatAModelCantBeAskedFor) {
    auto odd = request();
    odd.width = 97;
    const auto jobs = matrixJobs(odd, {.models = {model("small")}}, machine::withoutGpu());
    ASSERT_FALSE(jobs);
    EXPECT_THAT(jobs.error().message, HasSubstr("Model small"));
    EXPECT_THAT(jobs.error().message, HasSubstr("97"));
    MatrixAxes many{.models = {model("small")}};
    for (std::uint64_t seed = 0; seed < 1001; ++seed) many.seeds.push_back(seed);
    EXPECT_THAT(matrixJobs(request(), many, machine::withoutGpu()).error().message,
                HasSubstr("1001 renders"));
}

TEST(MatrixNumbers, AreNumbersAndRanges) {
    EXPECT_THAT(*numbersFrom(" 42, 100-103,7 ", 0, "seeds"), ElementsAre(42, 100, 101, 102, 103, 7));
    EXPECT_TRUE(numbersFrom("", 0, "seeds")->empty());
    EXPECT_THAT(*numbersFrom("18446744073709551615", 0, "seeds"),
                ElementsAre(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_THAT(*numbersFrom("18446744073709551614-18446744073709551615", 0, "seeds"), testing::SizeIs(2));
    for (const char* wrong : {"x", "1-", "-1", "3-1", "1.5", "1 2", "99999999999999999999", "0-5000", "0"})
        EXPECT_FALSE(numbersFrom(wrong, 1, "steps")) << wrong;
    EXPECT_THAT(numbersFrom("4, many", 1, "steps").error().message, HasSubstr("steps many"));
}

}  // namespace
}  // namespace reelgrid::comparison
