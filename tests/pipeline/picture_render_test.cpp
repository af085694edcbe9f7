#include <gmock/gmock.h>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/session/session.h"
#include "tests/models/wan/variant_model.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using models::wan::kVariants;
using models::wan::VariantModel;
using models::wan::variantRequest;
using testing::HasSubstr;

/// Renders of tiny models that begin with a picture.
class PictureRenderTest : public TinyRenderTest {
  protected:
    Renderer m_renderer;

    protocol::RenderRequest requestOf(const VariantModel& model, const std::string& variant) {
        protocol::RenderRequest request = variantRequest(variant, "expected");
        request.model = model.folder().string();
        request.numFrames = 5;
        request.numInferenceSteps = 2;
        request.output = (m_folder / (variant + ".mp4")).string();
        request.imgFilePath = (m_folder / "first.png").string();
        fs::copy_file(kVariants / "first.png", *request.imgFilePath, fs::copy_options::overwrite_existing);
        return request;
    }
    result::Manifest render(const protocol::RenderRequest& request) {
        const auto clip = m_renderer.render(request, {}, {});
        EXPECT_TRUE(clip) << clip.error().message;
        return result::readClipResult(request.output).manifest;
    }
};

TEST_F(PictureRenderTest, TheClipHasThePicturesShapeAndTheManifestSaysWhatItWasMadeFrom) {
    for (const char* variant : {"i2v", "i2v-experts", "ti2v"}) {
        const VariantModel model(variant);
        protocol::RenderRequest request = requestOf(model, variant);
        request.dtype = "bf16";
        const result::Manifest manifest = render(request);
        ASSERT_TRUE(manifest.settings) << variant;
        EXPECT_EQ(manifest.request, request) << variant;
        EXPECT_LT(manifest.settings->height, manifest.settings->width) << variant << ": 80x52 in a square";
        EXPECT_EQ(manifest.pictureHashes.at("img_file_path"), sha256OfFile(*request.imgFilePath).value());
        EXPECT_TRUE(result::readClipResult(request.output).timing()->stage("image")) << variant;
    }
}

TEST_F(PictureRenderTest, ForcedToASizeItHasThatSize) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    request.forceOutputSize = true;
    const result::Manifest manifest = render(request);
    EXPECT_EQ(manifest.settings->width, *request.width);
    EXPECT_EQ(manifest.settings->height, *request.height);
}

TEST_F(PictureRenderTest, StretchedItHasTheSizeThatWasAskedForAndOtherFrames) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    request.pictureFit = "crop";
    const std::string cut = render(request).framesSha256;
    request.pictureFit = "stretch";
    const result::Manifest manifest = render(request);
    EXPECT_EQ(manifest.settings->width, *request.width);
    EXPECT_EQ(manifest.settings->height, *request.height);
    EXPECT_NE(manifest.framesSha256, cut);
}

TEST_F(PictureRenderTest, AFlowShiftInTheCheckpointsPlaceIsSaid) {
    const VariantModel model("t2v-experts");
    protocol::RenderRequest request = requestOf(model, "t2v-experts");
    request.imgFilePath.reset();
    request.flowShift.reset();
    EXPECT_THAT(render(request).remarks,
                testing::ElementsAre("flow shift 12, as the model's authors have it; the checkpoint's "
                                     "scheduler says 3 (--flow-shift 3)"));
    for (const char* without : {"rcm", "rcm-ode"}) {
        request.scheduler = without;
        EXPECT_THAT(render(request).remarks, testing::IsEmpty()) << without << " has no flow shift";
    }
    request.scheduler.reset();
    request.flowShift = 3;
    EXPECT_THAT(render(request).remarks, testing::IsEmpty());
}

TEST_F(PictureRenderTest, AnotherPictureUnderTheSameNameIsAnotherReference) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    const std::string reference = render(request).clipSha256;
    request.attentionType = "fav2";
    (void)render(request);
    const auto drift = result::readClipResult(request.output).metrics.drift;
    ASSERT_TRUE(drift) << "of the same picture";
    EXPECT_EQ(drift->reference, "sdpa");
    EXPECT_EQ(drift->referenceSha256, reference);
    fs::copy_file(kVariants / "last.png", *request.imgFilePath, fs::copy_options::overwrite_existing);
    (void)render(request);
    EXPECT_FALSE(result::readClipResult(request.output).metrics.drift);
}

TEST_F(PictureRenderTest, InTilesItIsEncodedInTiles) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    request.width = request.height = 80;
    request.forceOutputSize = true;
    request.vaeTilePx = 64;
    const std::string whole = render(request).framesSha256;
    request.vaeTiling = "on";
    EXPECT_NE(render(request).framesSha256, whole);
}

TEST_F(PictureRenderTest, BackendsAreMeasuredInLockstepOnBothExperts) {
    const VariantModel model("t2v-experts");
    protocol::RenderRequest request = requestOf(model, "t2v-experts");
    request.imgFilePath.reset();
    request.numInferenceSteps = 4;
    request.lockstep = {"fav2"};
    (void)render(request);
    const auto& map = result::readClipResult(request.output).metrics.lockstep;
    ASSERT_TRUE(map);
    EXPECT_EQ(map->stepSize.size(), 4U);
}

TEST_F(PictureRenderTest, APictureThatIsNoneIsSaidBeforeTheModelIsLoaded) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    writeFile(*request.imgFilePath, "not a picture").value();
    const auto clip = m_renderer.render(
        request,
        [](const protocol::RenderProgress& progress) { ADD_FAILURE() << "stage " << progress.stage; }, {});
    ASSERT_FALSE(clip);
    EXPECT_THAT(clip.error().message, HasSubstr("first.png: a PNG, JPEG or WebP file was needed"));
}

TEST_F(PictureRenderTest, StopsWhileThePictureIsEncoded) {
    const VariantModel model("i2v");
    protocol::RenderRequest request = requestOf(model, "i2v");
    std::stop_source source;
    int last = 0;
    const auto clip = m_renderer.render(
        request,
        [&](const protocol::RenderProgress& progress) {
            EXPECT_NE(progress.stage, "denoise");
            if (progress.stage != "image") return;
            EXPECT_EQ(progress.total, 1 + *request.numFrames);
            last = progress.done;
            if (progress.done == 2) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(last, 2) << "the image encoder and the first frame";
}

TEST_F(PictureRenderTest, PartsThatDoNotFitAreNamed) {
    const VariantModel model("i2v");
    const fs::path mixed = m_folder / "mixed";
    fs::copy(model.folder(), mixed, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::remove(mixed / "transformer");
    fs::create_directory_symlink(kVariants / "ti2v/transformer", mixed / "transformer");
    protocol::RenderRequest request = requestOf(model, "i2v");
    request.model = mixed.string();
    const auto clip = m_renderer.render(request, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(clip.error().message,
                HasSubstr("in_channels 4, out_channels 4, no image_dim; in_channels 12"));
}

TEST_F(PictureRenderTest, ASessionKeepsThePicturesOfItsRequest) {
    const VariantModel model("flf2v");
    session::Session saved;
    saved.request = requestOf(model, "flf2v");
    saved.request.output.clear();
    saved.request.lastImgFilePath = (kVariants / "last.png").string();
    saved.request.forceOutputSize = true;
    saved.request.guidanceScale2 = 2.5;
    saveSession(saved, m_folder / "session.json").value();
    EXPECT_EQ(session::loadSession(m_folder / "session.json")->session.request, saved.request);
}

}  // namespace
}  // namespace reelgrid::pipeline
