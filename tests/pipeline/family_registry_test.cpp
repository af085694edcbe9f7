#include "core/pipeline/family_registry.h"

#include <gtest/gtest.h>

#include "core/families/family.h"

namespace reelgrid::pipeline {
namespace {

TEST(FamilyRegistry, LoadsEveryFamilyThatTheCatalogKnows) {
    for (const families::Family& family : families::families())
        EXPECT_TRUE(canLoad(family.name)) << family.name;
    EXPECT_FALSE(canLoad("nobody"));
}

TEST(FamilyRegistry, RefusesADtypeThatItDoesNotKnow) {
    families::ModelInfo model;
    model.family = "wan2.1";
    EXPECT_THROW((void)loadModel(model, {.dtype = "int4"}, {}), Failure);
}

}  // namespace
}  // namespace reelgrid::pipeline
