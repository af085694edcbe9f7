#include "core/pipeline/input_pictures.h"

#include "core/base/result.h"
#include "core/media/resample.h"

namespace reelgrid::pipeline {

void fitToPicture(catalog::RenderSettings& settings, const families::ModelInfo& model) {
    if (!settings.imgFilePath) return;
    const media::PictureSize picture = media::readImage(*settings.imgFilePath).value().size();
    if (settings.pictureFit != protocol::kKeepShape || model.isSizeFixed) return;
    const double area = double(settings.width) * settings.height;
    const auto fitted = media::sizeOfArea(picture, area, model.sizes.sizeMultiple);
    if (!fitted) throw Failure(fitted.error().in("--img-file-path " + *settings.imgFilePath));
    if (!model.sizes.allows(fitted->width) || !model.sizes.allows(fitted->height))
        throw Failure(ErrorCode::BadUsage,
                      "--img-file-path " + *settings.imgFilePath + ": its shape makes a clip of " +
                          std::to_string(fitted->width) + "x" + std::to_string(fitted->height) + ", " +
                          model.sizes.words() + " was needed");
    settings.width = fitted->width;
    settings.height = fitted->height;
}

}  // namespace reelgrid::pipeline
