#include <gtest/gtest.h>

#include "core/catalog/render_settings.h"
#include "core/families/offered_tasks.h"
#include "core/machine/local_machine.h"
#include "tests/devices/fake_driver.h"

namespace reelgrid::devices {
namespace {

/// dtype and VAE's dtype that a render on a GPU settles on.
std::string formatsOf(bool vaeFollowsDtype, const std::string& dtype, const std::string& vaeDtype) {
    FakeDriver driver;
    driver.says("REELGRID_LIBTORCH", REELGRID_EMPTY_LIBTORCH);
    driver.says("FAKE_GPUS", "H100,9,0,80000000000,80000000000");
    families::ModelInfo model;
    families::offer(model, {{.name = "t2v"}});
    model.gpuVaeFollowsDtype = vaeFollowsDtype;
    model.defaults.fps = 16;
    model.defaults.numInferenceSteps = 20;
    model.defaults.guidanceScale = 5;
    model.defaults.width = 256;
    model.defaults.height = 144;
    model.defaults.numFrames = 33;
    protocol::RenderRequest request;
    request.device = "cuda";
    if (!dtype.empty()) request.dtype = dtype;
    if (!vaeDtype.empty()) request.vaeDtype = vaeDtype;
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now());
    return settings ? settings->dtype + " " + settings->vaeDtype : settings.error().message;
}

TEST(SettingsOnAGpu, TheVaeComputesInFp32OrAsTheTransformerWhereTheModelsDoes) {
    EXPECT_EQ(formatsOf(false, "", ""), "bf16 fp32");
    EXPECT_EQ(formatsOf(true, "", ""), "bf16 bf16");
    EXPECT_EQ(formatsOf(true, "fp16", ""), "fp16 fp16");
    EXPECT_EQ(formatsOf(true, "fp16", "fp32"), "fp16 fp32");
}

}  // namespace
}  // namespace reelgrid::devices
