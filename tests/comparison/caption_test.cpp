#include "core/comparison/caption.h"

#include <gtest/gtest.h>

namespace reelgrid::comparison {
namespace {

using protocol::CallRecord;
using protocol::ModuleKind;

CallRecord call(ModuleKind kind, const char* requested, const char* used) {
    return {.kind = kind, .requested = requested, .used = used, .why = "", .calls = 1, .seconds = {}};
}

protocol::RenderRequest requestOf(const std::string& backend, const protocol::AttentionPolicy& policy = {}) {
    protocol::RenderRequest request;
    request.attentionType = backend;
    request.attentionPolicy = policy;
    return request;
}

std::string textOf(const std::string& name, const std::vector<CallRecord>& attention) {
    Caption caption = captionOf(requestOf("fav2"), attention);
    caption.name = name;
    return caption.text();
}

TEST(Caption, IsTheNameWhenEverythingRanAsAsked) {
    EXPECT_EQ(textOf("fav2", {}), "fav2");
    EXPECT_EQ(
        textOf("fav2", {call(ModuleKind::Self, "fav2", "fav2"), call(ModuleKind::Cross, "sdpa", "sdpa")}),
        "fav2");
}

TEST(Caption, ABackendThatAPolicyAskedForIsNoReplacement) {
    EXPECT_EQ(textOf("fav2+policy",
                     {call(ModuleKind::Self, "sdpa", "sdpa"), call(ModuleKind::Self, "fav2", "fav2")}),
              "fav2+policy");
}

TEST(Caption, NamesWhatRanInstead) {
    EXPECT_EQ(textOf("fav2", {call(ModuleKind::Self, "fav2", "sdpa")}), "fav2 (ran sdpa)");
    EXPECT_EQ(
        textOf("fav2", {call(ModuleKind::Self, "fav2", "fav2"), call(ModuleKind::Self, "fav2", "sdpa")}),
        "fav2 (ran fav2+sdpa)");
    EXPECT_EQ(textOf("fav2+policy",
                     {call(ModuleKind::Self, "fav2", "sdpa"), call(ModuleKind::Cross, "fav2", "sdpa")}),
              "fav2+policy (ran sdpa; cross-attention ran sdpa)");
}

TEST(Caption, TellsNameAndBackendApartUnderAPolicy) {
    const protocol::AttentionPolicy policy{{{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}}}};
    const Caption caption = captionOf(requestOf("fav2", policy));
    EXPECT_TRUE(caption.name.starts_with("fav2+policy-")) << caption.name;
    EXPECT_EQ(caption.backend, "fav2");
}

TEST(Caption, OnlySdpaThroughoutIsTheReference) {
    const protocol::AttentionPolicy policy{{{.backend = "fav2", .steps = protocol::IndexRange{0, 1}}}};
    EXPECT_TRUE(captionOf(requestOf("sdpa")).isReference());
    EXPECT_FALSE(captionOf(requestOf("sdpa", policy)).isReference());
    EXPECT_FALSE(captionOf(requestOf("fav2")).isReference());
}

TEST(Caption, AStepCacheIsAPartOfTheNameAndNoReference) {
    protocol::RenderRequest request = requestOf("sdpa");
    request.stepCache = 0.08;
    const Caption caption = captionOf(request);
    EXPECT_EQ(caption.text(), "sdpa+cache-0.08");
    EXPECT_EQ(caption.backend, "sdpa");
    EXPECT_FALSE(caption.isReference());
}

TEST(Caption, ComesFromTheManifest) {
    result::Manifest manifest;
    EXPECT_EQ(captionOf(manifest).text(), "");
    manifest.request.emplace().attentionType = "sla";
    manifest.attention = {call(ModuleKind::Self, "sla", "sdpa")};
    EXPECT_EQ(captionOf(manifest).text(), "sla (ran sdpa)");
}

TEST(Caption, ALabelThatNamesAnotherBackendStandsBesideWhatRan) {
    const Caption sla = captionOf(requestOf("sla"), {call(ModuleKind::Self, "sla", "sla")});
    EXPECT_EQ(sla.labelled(""), "sla");
    EXPECT_EQ(sla.labelled("sla"), "sla");
    EXPECT_EQ(sla.labelled("the first try"), "the first try");
    EXPECT_EQ(sla.labelled("sla beside sdpa"), "sla beside sdpa");
    EXPECT_EQ(sla.labelled("sdpa"), "sla (labelled sdpa)");
    EXPECT_EQ(sla.labelled(sla.labelled("sdpa")), "sla (labelled sdpa)") << "as a session keeps it";
    const Caption replaced = captionOf(requestOf("fav2"), {call(ModuleKind::Self, "fav2", "sdpa")});
    EXPECT_EQ(replaced.labelled("fav2"), "fav2 (ran sdpa)");
    for (const std::string label : {"the first try", "fav2-fast", "run_fav2", "fav2_best"}) {
        EXPECT_EQ(replaced.labelled(label), label + " (ran sdpa)") << "what ran is never hidden";
        EXPECT_EQ(replaced.labelled(label + " (ran sdpa)"), label + " (ran sdpa)");
    }
    EXPECT_EQ(sla.labelled("fav3_sage"), "sla (labelled fav3_sage)");
    EXPECT_EQ(sla.labelled("my_fav3_sage_2"), "sla (labelled my_fav3_sage_2)");
    EXPECT_EQ(sla.labelled("sla (ran sdpa)"), "sla (labelled sla (ran sdpa))") << "of an earlier render";
    EXPECT_EQ(Caption().labelled("sdpa"), "sdpa") << "no manifest says what ran";
}

TEST(Caption, WhatRanInTheReferencesPlaceIsNoReference) {
    EXPECT_FALSE(captionOf(requestOf("sdpa"), {call(ModuleKind::Self, "sdpa", "fav2")}).isReference());
    EXPECT_TRUE(captionOf(requestOf("sdpa"), {call(ModuleKind::Self, "sdpa", "sdpa")}).isReference());
}

}  // namespace
}  // namespace reelgrid::comparison
