#include <gmock/gmock.h>

#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "tests/models/cogvideox/tiny_model.h"

namespace reelgrid::models::cogvideox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CogVideoXPrompts, WhatT5HasNoRoomForIsSaid) {
    const TinyModel tiny("2b");
    const auto model = catalog::readModelFolder(tiny.folder()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    protocol::RenderRequest request = tinyRequest("2b", "expected");
    const auto remarks = [&] {
        return video->remarks(
            catalog::resolveSettings(request, model, machine::LocalMachine().now()).value());
    };
    const auto padded = HasSubstr("prompts are padded to 20 tokens");
    // Each word is a token; the end is the twentieth.
    std::string words;
    for (int i = 0; i < 19; ++i) words += "red ";
    request.negativePrompt = request.prompt = words;
    EXPECT_THAT(remarks(), ElementsAre(padded));
    request.prompt = words + "car on a beach";
    request.negativePrompt = words + "car";
    EXPECT_THAT(remarks(),
                ElementsAre("the prompt is cut at 20 tokens, this is not seen: car on a beach",
                            "the negative prompt is cut at 20 tokens, this is not seen: car", padded));
    request.guidanceScale = 1;
    EXPECT_THAT(remarks(), ElementsAre(HasSubstr("the prompt is cut"), padded)) << "no negative prompt";
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
