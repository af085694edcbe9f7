#include <gmock/gmock.h>

#include "core/catalog/model_folder.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;
using pipeline::findFaults;
using pipeline::untakenTensors;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParameterCheck, FindsNothingInModelsOfEveryKind) {
    for (const char* variant : {"i2v", "flf2v", "t2v-experts", "i2v-experts", "ti2v"}) {
        const VariantModel model(variant);
        const auto found = findFaults(catalog::readModelFolder(model.folder()).value());
        EXPECT_THAT(found.faults, IsEmpty()) << variant;
        EXPECT_GT(found.tensors, 100U);
        EXPECT_THAT(untakenTensors(catalog::readModelFolder(model.folder()).value()), IsEmpty()) << variant;
    }
}

TEST(ParameterCheck, NamesWhatIsMissingOfAnotherShapeOrUnknown) {
    const VariantModel model("i2v");
    const fs::path transformer = model.folder() / "transformer", original = kVariants / "i2v" / "transformer";
    weights::SafetensorsFolder stored(original);
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : stored.names())
        tensors[name] = stored.require(name, *stored.shapeOf(name)).clone();
    tensors.erase("blocks.1.ffn.net.2.bias");
    tensors["proj_out.bias"] = at::zeros({3});
    tensors["blocks.7.extra"] = at::zeros({1});
    fs::remove(transformer);
    fs::create_directories(transformer);
    fs::copy_file(original / "config.json", transformer / "config.json");
    weights::writeSafetensors(transformer / "diffusion_pytorch_model.safetensors", tensors).value();
    const auto info = catalog::readModelFolder(model.folder()).value();
    EXPECT_THAT(
        findFaults(info).faults,
        testing::UnorderedElementsAre(HasSubstr("tensor blocks.1.ffn.net.2.bias is missing, shape [24]"),
                                      HasSubstr("tensor proj_out.bias has shape [3], the config needs"),
                                      HasSubstr("tensor blocks.7.extra belongs to no layer")));

    EXPECT_THAT(untakenTensors(info),
                ElementsAre(HasSubstr("transformer: 1 tensor belongs to no layer of this model and had no "
                                      "effect (blocks.7.extra)")));

    const fs::path file = transformer / "diffusion_pytorch_model.safetensors";
    fs::resize_file(file, fs::file_size(file) - 10);
    EXPECT_THAT(findFaults(info).faults, ElementsAre(HasSubstr("is it truncated?")));
}

}  // namespace
}  // namespace reelgrid::models::wan
