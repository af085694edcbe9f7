#include <gtest/gtest.h>

#include "core/media/image.h"
#include "core/vision/antialiased_picture.h"
#include "core/vision/clip_image_processor.h"
#include "core/vision/clip_vision_encoder.h"
#include "tests/models/svd/svd_fixtures.h"
#include "tests/weights/made_up_weights.h"

namespace reelgrid::vision {
namespace {

using models::svd::errorAgainst;
using models::svd::kSvdFixtures;

TEST(SvdImageEncoder, SeesPicturesAsTheReference) {
    models::svd::Recorded recorded("image_encoder");
    weights::MadeUpWeights weights;
    const ClipVisionEncoder encoder(ClipVisionConfig::from(models::svd::svdConfig("image_encoder")),
                                    weights::WeightScope(weights, at::kFloat), ClipOutput::Embedding);
    const ClipImageProcessor processor(weights::ModelConfig::read(kSvdFixtures, "preprocessor_config.json"));
    for (const std::string index : {"0", "1"}) {
        const auto image = media::readImage((kSvdFixtures / ("picture_" + index + ".png")).string()).value();
        const at::Tensor pixels = processor.normalised((antialiasedPicture(image, 224, 224) + 1) / 2);
        using at::indexing::Slice;
        const at::Tensor seen = pixels.index({Slice(), Slice(), Slice(0, 224, 7), Slice(0, 224, 7)});
        EXPECT_LE(errorAgainst(seen, recorded(index + ".pixels")), 1e-5) << index;
        EXPECT_LE(errorAgainst(encoder.forward(pixels), recorded(index + ".embedding")), 1e-4) << index;
    }
}

TEST(OfficialSvdImageEncoder, HasTheReferencesNamesAndShapes) {
    const models::svd::OfficialPart official("image_encoder");
    weights::RecordingWeights asked;
    const ClipVisionEncoder encoder(ClipVisionConfig::from(official.config),
                                    weights::WeightScope(asked, at::kHalf), ClipOutput::Embedding);
    const models::svd::Parameters requests(asked.requests().begin(), asked.requests().end());
    EXPECT_EQ(requests.size(), asked.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(requests, official.parameters);
}

}  // namespace
}  // namespace reelgrid::vision
