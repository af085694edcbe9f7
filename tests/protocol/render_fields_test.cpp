#include "core/protocol/render_fields.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/protocol/attention_name.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/render_request.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

/// Converts to any member, for counting those of an aggregate.
struct Anything {
    template <class T>
    operator T() const;
};

template <class T, class... Values>
constexpr std::size_t memberCount() {
    if constexpr (requires { T{Values{}..., Anything{}}; })
        return memberCount<T, Values..., Anything>();
    else
        return sizeof...(Values);
}

TEST(RenderFields, TheTableHasARowForEveryMember) {
    std::size_t rows = 0;
    std::set<std::string> keys;
    std::set<const void*> members;
    RenderFields<Given> fields;
    forEachRenderField([&](const RenderField& field, auto access) {
        ++rows;
        EXPECT_TRUE(keys.insert(field.key).second) << field.key;
        EXPECT_TRUE(members.insert(&access(fields)).second) << field.key;
    });
    EXPECT_EQ(rows, memberCount<RenderFields<Given>>());
}

// ── a value for every field, whatever its type ──────────────────────────────────────────────────────────

void set(std::string& value) {
    value = "something";
}
void set(int& value) {
    value = 70;  // within every range
}
void set(double& value) {
    value = 2.5;
}
void set(bool& value) {
    value = !value;
}
void set(std::uint64_t& value) {
    value = 18446744073709551615u;
}
void set(AttentionPolicy& value) {
    value.rules = {{.backend = "fav2", .module = ModuleKind::Temporal, .layers = IndexRange{-2, -1}},
                   {.backend = "sdpa", .module = std::nullopt, .branch = GuidanceBranch::Unconditional}};
}
void set(StepCache& value) {
    value.method = StepCache::Method::MagCache;
    value.threshold = 0.12;
    value.mostSkips = 4;
    value.curve = {1, 0.99, 0.95};
    value.curveModel = "a/b";
}
void set(std::vector<std::string>& value) {
    value = {"fav2", "sagev1"};
}
template <class T>
void set(std::optional<T>& value) {
    set(value.emplace());
}

TEST(RenderFields, EveryFieldSurvivesARoundTripAsJson) {
    RenderRequest request;
    request.model = "a/b";
    request.output = "/tmp/c.mp4";
    forEachRenderField([&](const RenderField&, auto access) { set(access(request)); });
    const json written = toJson(request);
    forEachRenderField(
        [&](const RenderField& field, auto) { EXPECT_TRUE(written.contains(field.key)) << field.key; });
    const auto read = renderRequestFromJson(json::parse(written.dump()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, request);
}

TEST(RenderFields, ThePictureKeyChangesWithWhatDecidesThePictureAlone) {
    const std::string usual = pictureKey(RenderRequest{});
    std::set<std::string> others;
    forEachRenderField([&](const RenderField& field, auto access) {
        RenderRequest changed;
        set(access(changed));
        EXPECT_EQ(pictureKey(changed) != usual, field.decides == Decides::Picture) << field.key;
        if (field.decides == Decides::Picture) others.insert(field.key);
    });
    EXPECT_THAT(others,
                testing::IsSupersetOf({"prompt", "seed", "width", "flow_shift", "scheduler", "dtype"}));
    EXPECT_THAT(others, testing::Not(testing::Contains("attention_type")));
}

TEST(RenderFields, AModelsDefaultsAreReadForWhatARequestMayLeaveOut) {
    RenderFields<Given> defaults;
    const json own = {{"width", 256}, {"guidance_scale", 2.5}, {"prompt", "not a default"}, {"seed", 3}};
    ASSERT_TRUE(readRenderDefaults(own, "reelgrid.json", defaults));
    EXPECT_EQ(defaults.width, 256);
    EXPECT_EQ(defaults.guidanceScale, 2.5);
    EXPECT_EQ(defaults.prompt, "");
    EXPECT_EQ(defaults.seed, 42u);
    const auto wrong = readRenderDefaults({{"fps", "many"}}, "reelgrid.json", defaults);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, testing::HasSubstr("fps \"many\""));
    const auto impossible = readRenderDefaults({{"guidance_scale", -3}}, "reelgrid.json", defaults);
    ASSERT_FALSE(impossible);
    EXPECT_EQ(impossible.error().message,
              "reelgrid.json: guidance_scale -3: a value from 0 to 100 was needed");
}

TEST(ModuleKinds, AreNamedByOneTable) {
    for (const ModuleKindInfo& info : kModuleKinds) {
        EXPECT_EQ(&infoOf(info.kind), &info);
        EXPECT_EQ(moduleKindFrom(info.name), info.kind);
    }
    EXPECT_EQ(moduleKindFrom("sideways"), std::nullopt);
}

TEST(AttentionName, SaysWhatSparseAttentionKeepsAndWhatLinearLayersMultiply) {
    RenderRequest request;
    request.slaTopk = 0.15;
    EXPECT_EQ(attentionName(request), "sdpa") << "which keeps everything";
    request.attentionType = "sagesla";
    EXPECT_EQ(attentionName(request), "sagesla+topk-0.15");
    request.linear = "int8";
    request.stepCache = 0.08;
    EXPECT_EQ(attentionName(request), "sagesla+topk-0.15+int8+cache-0.08");
    request = {};
    request.linear = "bf16";
    EXPECT_EQ(attentionName(request), "sdpa");
    request.linear = "auto";
    request.useFp8Gemms = true;
    EXPECT_EQ(attentionName(request), "sdpa+fp8");
}

TEST(AttentionName, SaysWhatIsSetForTheBackendsThatItNames) {
    RenderRequest request;
    request.backendOption = {"sta.window=3,3,3", "radial.decay=0.5", "sta.window=5,3,3"};
    EXPECT_EQ(attentionName(request), "sdpa");
    request.attentionType = "sta";
    EXPECT_EQ(attentionName(request), "sta+window-5x3x3");
    request.attentionPolicy.rules.push_back({.backend = "radial"});
    EXPECT_THAT(attentionName(request), testing::EndsWith("+window-5x3x3+radial.decay-0.5"));
}

TEST(AttentionName, HasFourDigitsForWhatIsSetOfSomeLayersOrManyHeads) {
    RenderRequest request;
    request.attentionType = "sparge";
    request.backendOption = {"sparge.cdfthreshd@0-3=0.9,0.8", "sparge.pvthreshd=20", "sparge.cdfthreshd@4=1"};
    const std::string name = attentionName(request);
    EXPECT_THAT(name, testing::MatchesRegex("sparge\\+pvthreshd-20\\+options-[0-9a-f]{4}"));
    request.backendOption[0] = "sparge.cdfthreshd@0-3=0.9,0.7";
    EXPECT_NE(attentionName(request), name);
    request.attentionType = "sdpa";
    EXPECT_EQ(attentionName(request), "sdpa");
}

TEST(BackendOptionChoice, IsNameKeyAndValue) {
    const auto choice = BackendOptionChoice::from("sta.window=3,3,3").value();
    EXPECT_EQ(choice.backend + "|" + choice.key + "|" + choice.value, "sta|window|3,3,3");
    EXPECT_EQ(BackendOptionChoice::from("a.share=0.5").value().value, "0.5");
    for (const char* text : {"", "window=3", "sta.window", "sta=1.5", ".window=3", "sta.=3",
                             "sta.window=", "sta.window=../x", "sta.win dow=3", "sta.window@=3", "sta.@3=3",
                             "sta.window@x=3", "sta.window@-1=3", "sta.window@5-3=3"}) {
        const auto wrong = BackendOptionChoice::from(text);
        ASSERT_FALSE(wrong) << text;
        EXPECT_EQ(wrong.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(wrong.error().message, testing::HasSubstr("NAME.KEY=VALUE"));
    }
}

}  // namespace
}  // namespace reelgrid::protocol
