// What runs on a device that has no kernel of ours: everything, by libtorch's operators.

#include <gmock/gmock.h>

#include "core/execution/execution.h"
#include "core/execution/memory_check.h"
#include "core/execution/memory_peak.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/weights/safetensors_folder.h"
#include "tests/other_device/fake_device.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

class OtherDevice : public TinyRenderTest {
  protected:
    static void SetUpTestSuite() { test::registerFakeDevice(); }

    result::ClipResult rendered(const std::string& device, const std::string& attention,
                                const std::string& name) {
        auto request = tinyRequest();
        request.device = device;
        request.dtype = "fp32";
        request.generator = "cpu";
        request.attentionType = attention;
        request.output = (m_folder / (name + ".mp4")).string();
        const auto clip = Renderer().render(request, {}, {});
        if (!clip) throw Failure(clip.error());
        return result::readClipResult(*clip);
    }
};

TEST_F(OtherDevice, IsStartedByItsNameAndRefusedByTheNumber) {
    const auto started = execution::executionOn("privateuseone");
    ASSERT_TRUE(started) << started.error().message;
    EXPECT_EQ(started->device.str(), "privateuseone:0");
    EXPECT_EQ(execution::executionOn("privateuseone:1").error().message,
              "--device privateuseone:1: this machine has 1 of them");
    // Its allocator counts nothing.
    EXPECT_FALSE(execution::memoryPeak(*started));
    EXPECT_NO_THROW(execution::requireMemory(*started, std::uint64_t{1} << 50, 0, "a clip", "nothing"));
}

TEST_F(OtherDevice, WithoutItsLibraryIsRefusedNamingIt) {
    const auto missing = execution::executionOn("xpu");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(missing.error().message, testing::AllOf(testing::StartsWith("--device xpu:0: "),
                                                        testing::HasSubstr("libtorch_xpu.so")));
}

TEST_F(OtherDevice, GivesTheLatentsOfTheCpu) {
    const auto here = rendered("cpu", "sdpa", "cpu"), there = rendered("privateuseone", "sdpa", "other");
    EXPECT_EQ(there.manifest.settings->device, "privateuseone:0");
    const auto latentsOf = [&](const char* name) {
        weights::SafetensorsFolder file(m_folder / (std::string(name) + ".files") / "latents.safetensors");
        const std::string first = file.names().front();
        return file.require(first, *file.shapeOf(first)).clone();
    };
    const at::Tensor a = latentsOf("cpu"), b = latentsOf("other");
    EXPECT_LE(((a - b).norm() / a.norm()).item<double>(), 1e-5);
}

TEST_F(OtherDevice, HasSdpaInPlaceOfABackendOfOursAndSaysSo) {
    const auto clip = rendered("privateuseone", "fav2", "fav2");
    const auto& records = clip.manifest.attention;
    int asked = 0;
    for (const auto& record : records) {
        EXPECT_EQ(record.used, "sdpa");
        if (record.requested == "sdpa") continue;  // cross-attention, which wasn't asked for
        ++asked;
        EXPECT_THAT(record.why, testing::HasSubstr("no kernels for privateuseone:0"));
    }
    EXPECT_GT(asked, 0);
}

}  // namespace
}  // namespace reelgrid::pipeline
