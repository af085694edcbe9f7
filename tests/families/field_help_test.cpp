#include "core/families/field_help.h"

#include <gtest/gtest.h>

#include "core/families/family.h"

namespace reelgrid::families {
namespace {

std::string helpOf(const char* key) {
    return families::helpOf(protocol::RenderField{.key = key, .help = "Help"});
}

TEST(FieldHelp, SaysWhatEachFamilyAdds) {
    EXPECT_EQ(helpOf("scheduler"),
              "Help (Wan: unipc, euler, rcm, rcm-ode; CogVideoX: ddim, dpm; AnimateDiff: ddim, euler, "
              "euler-ancestral, pndm, dpm++, lcm; Stable Diffusion 3.5: euler, unipc)");
    EXPECT_EQ(helpOf("generator"), "Help (Wan: cpu; CogVideoX: on a GPU cuda)");
    EXPECT_EQ(helpOf("use_dynamic_cfg"), "Help (CogVideoX)");
    EXPECT_EQ(helpOf("seed"), "Help");
}

TEST(FieldHelp, NotesAreOfFieldsThatThereAre) {
    for (const Family& family : families())
        for (const FieldNote& note : family.notes) {
            bool isThere = false;
            protocol::forEachRenderField(
                [&](const protocol::RenderField& field, auto) { isThere |= field.key == note.key; });
            EXPECT_TRUE(isThere) << family.name << ": " << note.key;
        }
}

}  // namespace
}  // namespace reelgrid::families
