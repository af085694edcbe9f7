#include "core/pipeline/family_registry.h"

#include <gtest/gtest.h>

#include "core/catalog/built_in_models.h"
#include "core/catalog/model_catalog.h"
#include "core/families/family.h"
#include "core/schedulers/scheduler.h"
#include "core/weights/model_config.h"

namespace reelgrid::pipeline {
namespace {

TEST(FamilyRegistry, LoadsEveryFamilyThatTheCatalogKnows) {
    for (const families::Family& family : families::families())
        for (const families::Pipeline& pipeline : family.pipelines)
            EXPECT_TRUE(canLoad(pipeline.name)) << pipeline.name;
    EXPECT_FALSE(canLoad("nobody"));
}

/// Its names are resolved among the samplers for what the checkpoint's predicts.
TEST(FamilyRegistry, MakesEverySchedulerThatAModelCanBeAskedFor) {
    for (const catalog::BuiltInModel& each : catalog::builtInModels()) {
        const auto model = catalog::findModel(std::string(each.name));
        ASSERT_TRUE(model) << model.error().message;
        const auto config = weights::ModelConfig::read(model->folder / "scheduler", "scheduler_config.json");
        EXPECT_EQ(model->schedulers.empty(), model->family == "svd")
            << each.name << ": it has one sampler alone";
        for (const std::string& name : model->schedulers)
            EXPECT_NE(schedulers::makeScheduler(config, {.name = name, .flowShift = {}}), nullptr) << name;
        EXPECT_THROW((void)schedulers::makeScheduler(config, {.name = "nobody", .flowShift = {}}), Failure);
    }
}

TEST(FamilyRegistry, RefusesADtypeThatItDoesNotKnow) {
    families::ModelInfo model;
    model.family = "wan2.1";
    EXPECT_THROW((void)loadModel(model, {.dtype = "int4"}, {}), Failure);
}

}  // namespace
}  // namespace reelgrid::pipeline
