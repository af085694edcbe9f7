#include "core/session/view_state.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reelgrid::session {
namespace {

using nlohmann::json;

ViewState unusual() {
    ViewState view;
    view.mode = ViewMode::Wipe;
    view.solo = 2;
    view.reference = 1;
    view.other = 3;
    view.columns = 4;
    view.wipe = {0.25, 0.75, 37.5};
    view.difference = DifferenceKind::HeatMap;
    view.gain = 24;
    view.onionOpacity = 0.1;
    view.flickerHz = 5;
    view.zoom = {0.5, 0.125, 0.25};
    view.magnified = MagnifiedPixels::Smooth;
    view.pixelValues = true;
    view.frameNumbers = false;
    view.sync = SyncBy::FrameIndex;
    view.loop = LoopKind::Range;
    view.range = LoopRange{0.1, 1.3};
    view.speed = 0.25;
    view.offsets = {{0, 0}, {-0.04, 3}, {1.0 / 3, -7}};
    return view;
}

TEST(ViewState, ComesBackFromJsonAsItWas) {
    for (const ViewState& view : {ViewState{}, unusual()}) {
        const auto read = viewStateFromJson(json::parse(toJson(view).dump()));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, view);
    }
}

TEST(ViewState, WhatIsAbsentHasItsDefault) {
    const auto read = viewStateFromJson(json{{"mode", "flicker"}});
    ASSERT_TRUE(read) << read.error().message;
    ViewState expected;
    expected.mode = ViewMode::Flicker;
    EXPECT_EQ(*read, expected);
}

TEST(ViewState, NamesTheFieldThatIsWrong) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"mode": "sideways"})", "mode"},
        {R"({"gain": 0})", "gain"},
        {R"({"speed": 4.5})", "speed"},
        {R"({"wipe": {"x": 1.5}})", "x"},
        {R"({"zoom": {"size": 0.5, "x": 0.6}})", "x"},
        {R"({"loop": "range"})", "range"},
        {R"({"range": {"in_seconds": 2, "out_seconds": 1}})", "in_seconds"},
        {R"({"offsets": [{"frames": 99999999}]})", "frames"},
        {R"({"reference": -2})", "reference"},
        {R"({"solo": 256})", "solo"},
    };
    for (const auto& [text, field] : cases) {
        const auto read = viewStateFromJson(json::parse(text));
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, ErrorCode::InvalidData) << text;
        EXPECT_NE(read.error().message.find(field), std::string::npos) << read.error().message;
    }
}

}  // namespace
}  // namespace reelgrid::session
