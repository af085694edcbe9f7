#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_catalog.h"
#include "core/machine/local_machine.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/experts.h"
#include "core/models/wan/original_names.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/input_pictures.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/wan/variant_model.h"
#include "tests/weights/hidden_tensors.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Tensors = std::map<std::string, at::Tensor>;

Tensors tensorsIn(const fs::path& folder) {
    weights::SafetensorsFolder stored(folder);
    Tensors tensors;
    for (const std::string& name : stored.names())
        tensors[name] = stored.require(name, *stored.shapeOf(name)).clone();
    return tensors;
}

/// A tiny model as ComfyUI's users have theirs: diffusion_models/, text_encoders/, vae/, clip_vision/.
class SingleFile : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("wan_files_" + std::to_string(getpid()));
    fs::path m_models = m_folder / "diffusion_models";

    void SetUp() override { fs::create_directories(m_models); }
    void TearDown() override { fs::remove_all(m_folder); }

    enum class Stored { Plain, Fp8, ScaledFp8 };

    /// The transformer's tensors by ComfyUI's names.
    static Tensors comfyTensors(const fs::path& transformer, Stored how = Stored::Plain) {
        Tensors tensors;
        for (const auto& [name, tensor] : tensorsIn(transformer)) {
            const std::string own = "model.diffusion_model." + originalTransformerName(name);
            const bool isMatrix = tensor.dim() == 2 && name.ends_with(".weight");
            if (!isMatrix || how == Stored::Plain) {
                tensors[own] = tensor;
                continue;
            }
            const at::Tensor scale =
                how == Stored::ScaledFp8 ? tensor.abs().max() / 448 : at::ones({}, at::kFloat);
            tensors[own] = (tensor / scale).to(at::kFloat8_e4m3fn);
            if (how == Stored::Fp8) continue;
            const std::string module = own.substr(0, own.size() - std::string(".weight").size());
            tensors[module + ".scale_weight"] = scale.reshape({1});
            tensors[module + ".scale_input"] = at::ones({1});
        }
        if (how == Stored::ScaledFp8) tensors["model.diffusion_model.scaled_fp8"] = at::empty({0});
        return tensors;
    }
    void writeTransformer(const fs::path& diffusers, const std::string& name,
                          Stored how = Stored::Plain) const {
        weights::writeSafetensors(m_models / name, comfyTensors(diffusers, how)).value();
        // Tiny heads haven't the 128 channels of published ones.
        fs::copy_file(diffusers / "config.json", m_models / "config.json",
                      fs::copy_options::overwrite_existing);
    }
    /// The parts of a diffusers folder: the text encoder with its tokenizer inside, the VAE by Wan's names.
    void writeParts(const fs::path& diffusers) const {
        fs::create_directories(m_folder / "text_encoders");
        Tensors text = tensorsIn(diffusers / "text_encoder");
        std::string spiece = readFile(diffusers / "tokenizer" / "spiece.model").value();
        text["spiece_model"] = at::from_blob(spiece.data(), {std::int64_t(spiece.size())}, at::kByte).clone();
        weights::writeSafetensors(m_folder / "text_encoders" / "umt5_xxl_fp16.safetensors", text).value();

        fs::create_directories(m_folder / "vae");
        fs::copy_file(diffusers / "vae" / "config.json", m_folder / "vae" / "config.json");
        const auto config = vae::wan21::WanVaeConfig::from(weights::ModelConfig::read(diffusers / "vae"));
        Tensors own;
        for (const auto& [name, tensor] : tensorsIn(diffusers / "vae"))
            own[vae::wan21::originalName(name, config)] = tensor;
        const char* file = config.isResidual ? "wan2.2_vae.safetensors" : "wan_2.1_vae.safetensors";
        weights::writeSafetensors(m_folder / "vae" / file, own).value();
        for (const char* picture : {"image_encoder", "image_processor"})
            if (fs::exists(diffusers / picture))
                fs::create_directory_symlink(fs::canonical(diffusers / picture), m_folder / picture);
    }

    static at::Tensor latentsOf(const std::string& path, protocol::RenderRequest request) {
        const c10::InferenceMode inference;
        const auto model = catalog::findModel(path).value();
        request.prompt = "a red car";
        request.width = 48;
        request.height = 32;
        request.numFrames = 5;
        request.numInferenceSteps = 2;
        request.dtype = "fp32";
        request.flowShift = 3;  // no file says it
        request.device = "cpu";
        auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
        pipeline::fitToPicture(settings, model);
        const auto video = pipeline::loadModel(model, {}, {});
        const auto attention = attention::makeDispatcher("sdpa").value();
        denoising::StageClock clock({}, {});
        const at::Tensor latents = denoising::denoise(*video, settings, *attention, clock);
        EXPECT_EQ(denoising::decode(*video, latents, settings, clock).frameCount(), 5);
        return latents;
    }
};

TEST_F(SingleFile, RendersWhatTheFolderRenders) {
    const VariantModel reference("t2v-experts");  // whose parts are the tiny pipeline's
    const fs::path tiny = kVariants.parent_path() / "tiny-pipeline";
    writeParts(tiny);
    writeTransformer(tiny / "transformer", "wan2.1_t2v_tiny.safetensors");
    EXPECT_TRUE(
        at::equal(latentsOf((m_models / "wan2.1_t2v_tiny.safetensors").string(), {}), latentsOf(tiny, {})));
}

TEST_F(SingleFile, OfTextAndPictureIsToldFromItsConfigAndHasItsOwnVae) {
    const VariantModel reference("ti2v");
    writeParts(reference.folder());
    writeTransformer(reference.folder() / "transformer", "wan2.2_ti2v_tiny.safetensors");
    auto config = nlohmann::json::parse(readFile(m_models / "config.json").value());
    writeFile(m_models / "config.json", R"({"_class_name": "WanModel", "model_type": "ti2v", "dim": 24,
                                            "num_heads": 2})")
        .value();
    const std::string file = (m_models / "wan2.2_ti2v_tiny.safetensors").string();
    EXPECT_EQ(catalog::findModel(file)->family, "wan2.2-ti2v");
    EXPECT_THAT(Checkpoint(file).path("vae").string(), HasSubstr("wan2.2_vae.safetensors"));
    EXPECT_TRUE(Checkpoint(file).vae().config.isResidual);
}

/// eps stands in no shape.
TEST_F(SingleFile, TakesEpsFromTheConfigBesideIt) {
    const fs::path tiny = kVariants.parent_path() / "tiny-pipeline";
    writeParts(tiny);
    writeTransformer(tiny / "transformer", "tiny.safetensors");
    const std::string file = (m_models / "tiny.safetensors").string();
    const at::Tensor before = latentsOf(file, {});
    auto config = nlohmann::json::parse(readFile(m_models / "config.json").value());
    config["eps"] = 0.01;
    writeFile(m_models / "config.json", config.dump()).value();
    EXPECT_EQ(Checkpoint(file).config("transformer").number("eps"), 0.01);
    EXPECT_FALSE(at::allclose(latentsOf(file, {}), before));
    EXPECT_THAT(catalog::findModel(file)->components.front().files,
                testing::ElementsAre(m_models / "config.json", file))
        << "with another one it is another model";
}

TEST_F(SingleFile, SaysWhereTheConfigBesideItIsAnotherModels) {
    writeParts(kVariants.parent_path() / "tiny-pipeline");
    writeTransformer(kVariants.parent_path() / "head-128", "wan.safetensors");
    const std::string file = (m_models / "wan.safetensors").string();
    const auto remarks = [&] {
        return Experts(catalog::findModel(file).value(), {}, Residence::AsMemoryAllows).remarks();
    };
    EXPECT_THAT(remarks(), testing::IsEmpty());
    auto config = nlohmann::json::parse(readFile(m_models / "config.json").value());
    config["num_layers"] = 30;
    config["eps"] = 0.01;
    writeFile(m_models / "config.json", config.dump()).value();
    EXPECT_THAT(remarks(),
                testing::ElementsAre(AllOf(HasSubstr("config.json had no effect, it is of another model than "
                                                     "wan.safetensors"),
                                           HasSubstr("it says num_layers 30, the tensors have 1"))));
    EXPECT_FALSE(Checkpoint(file).config("transformer").has("eps"));
    EXPECT_THAT(catalog::findModel(file)->components.front().files, testing::ElementsAre(file));
}

TEST_F(SingleFile, OfOneExpertBringsTheOther) {
    const VariantModel reference("t2v-experts");
    writeParts(reference.folder());
    writeTransformer(reference.folder() / "transformer", "wan2.2_t2v_high_noise_14B.safetensors");
    const std::string high = (m_models / "wan2.2_t2v_high_noise_14B.safetensors").string();
    EXPECT_THAT(catalog::findModel(high).error().message, HasSubstr("wan2.2_t2v_low_noise_14B.safetensors"));
    writeTransformer(reference.folder() / "transformer_2", "wan2.2_t2v_low_noise_14B.safetensors");
    const std::string low = (m_models / "wan2.2_t2v_low_noise_14B.safetensors").string();
    EXPECT_EQ(catalog::findModel(high)->family, "wan2.2");
    EXPECT_THAT(catalog::findModel(low)->components[1].files,
                testing::ElementsAre(m_models / "config.json", low))
        << "which says how wide heads are";
    const Checkpoint files(low);
    for (const char* component : {"transformer", "transformer_2"})
        for (const auto& [name, tensor] : tensorsIn(reference.folder() / component))
            EXPECT_TRUE(at::equal(files.transformer(component)->require(name, tensor.sizes()), tensor))
                << component << " " << name;
}

TEST_F(SingleFile, OfPicturesTakesTheImageEncoderBesideIt) {
    const VariantModel reference("i2v");
    writeParts(reference.folder());
    writeTransformer(reference.folder() / "transformer", "wan2.1_i2v_480p_tiny.safetensors");
    protocol::RenderRequest request;
    request.imgFilePath = (kVariants / "first.png").string();
    EXPECT_TRUE(at::equal(latentsOf((m_models / "wan2.1_i2v_480p_tiny.safetensors").string(), request),
                          latentsOf(reference.folder(), request)));
}

TEST_F(SingleFile, InFp8IsTheRoundedTransformer) {
    const fs::path tiny = kVariants.parent_path() / "tiny-pipeline";
    writeParts(tiny);
    const std::string file = (m_models / "tiny.safetensors").string(),
                      name = "blocks.0.ffn.net.0.proj.weight";
    const at::Tensor exact = tensorsIn(tiny / "transformer").at(name);
    for (const auto how : {Stored::Fp8, Stored::ScaledFp8}) {
        writeTransformer(tiny / "transformer", "tiny.safetensors", how);
        const at::Tensor rounded =
            Checkpoint(file).transformer("transformer")->require(name, exact.sizes()).to(at::kFloat);
        const double error = ((rounded - exact).norm() / exact.norm()).item<double>();
        EXPECT_GT(error, 1e-3);
        EXPECT_LT(error, how == Stored::Fp8 ? 0.2 : 0.04);
        EXPECT_TRUE(latentsOf(file, {}).isfinite().all().item<bool>());
    }
}

/// The configurations of the parts are made of shapes: a file that lacks a tensor is not one of a smaller
/// model.
TEST_F(SingleFile, WhicheverTensorOfEachKindIsMissingIsNamed) {
    const fs::path tiny = kVariants.parent_path() / "tiny-pipeline";
    writeTransformer(tiny / "transformer", "tiny.safetensors");
    writeParts(tiny);
    const auto said = [&]() -> std::string {
        const auto model = catalog::findModel((m_models / "tiny.safetensors").string());
        if (!model) return model.error().message;
        const auto found = pipeline::findFaults(*model);
        return found.faults.empty() ? "" : found.faults.front();
    };
    ASSERT_EQ(said(), "");
    for (const fs::path& path : {m_models / "tiny.safetensors", m_folder / "vae" / "wan_2.1_vae.safetensors",
                                 m_folder / "text_encoders" / "umt5_xxl_fp16.safetensors"}) {
        const weights::HiddenTensors file(path);
        for (const std::string& tensor : weights::lastOfEachKind(weights::SafetensorsFolder(path).names())) {
            if (tensor == "spiece_model") continue;  // the tokenizer is in its folder, too
            ASSERT_TRUE(file.hide(tensor)) << tensor;
            // Files are told from others by some, and are of no kind, or of another, without them.
            EXPECT_THAT(said(), testing::AnyOf(HasSubstr(tensor.substr(0, tensor.size() - 1)),
                                               HasSubstr("is missing"), HasSubstr("was needed in it"),
                                               HasSubstr("has no head.head.weight")))
                << path << ": " << tensor;
            file.show(tensor);
        }
    }
}

TEST_F(SingleFile, SaysWhatIsMissing) {
    const fs::path tiny = kVariants.parent_path() / "tiny-pipeline";
    const std::string file = (m_models / "tiny.safetensors").string();
    const auto message = [&] {
        const auto model = catalog::findModel(file);
        return model ? "was read" : model.error().message;
    };
    writeTransformer(tiny / "transformer", "tiny.safetensors");
    EXPECT_THAT(message(), HasSubstr("no VAE of Wan 2.1 (vae/wan_2.1_vae.safetensors"));
    fs::create_directories(m_folder / "vae");
    fs::create_symlink("gone", m_folder / "vae" / "wan_2.1_vae.safetensors");
    EXPECT_THAT(message(), AllOf(HasSubstr("its VAE of Wan 2.1 /"),
                                 HasSubstr("vae/wan_2.1_vae.safetensors: is a link to gone, which isn't")));
    fs::remove(m_folder / "vae" / "wan_2.1_vae.safetensors");
    writeFile(m_folder / "vae" / "wan_2.1_vae.safetensors", "").value();
    EXPECT_THAT(message(), HasSubstr("no umT5 encoder (text_encoders/umt5_xxl_fp16.safetensors"));
    fs::create_directories(m_folder / "elsewhere");
    fs::copy_file(tiny / "text_encoder" / "model.safetensors",
                  m_folder / "elsewhere" / "umt5-xxl-enc-bf16.safetensors");
    ::setenv("REELGRID_MODEL_PARTS", (m_folder / "elsewhere").c_str(), 1);
    EXPECT_THAT(message(), HasSubstr("no tokenizer was found"));
    fs::create_directories(m_folder / "elsewhere" / "google");
    fs::copy(tiny / "tokenizer", m_folder / "elsewhere" / "google" / "umt5-xxl");
    EXPECT_EQ(message(), "was read");
    ::unsetenv("REELGRID_MODEL_PARTS");

    weights::writeSafetensors(m_models / "tiny.safetensors",
                              {{"lora_unet_x.lora_up.weight", at::ones({2, 2})}})
        .value();
    EXPECT_THAT(message(),
                AllOf(HasSubstr("a model of Wan or "), HasSubstr("was needed in it (a LoRA goes to --lora")));
    Tensors vace = comfyTensors(tiny / "transformer");
    vace["model.diffusion_model.vace_blocks.0.before_proj.bias"] = at::ones({2});
    weights::writeSafetensors(m_models / "tiny.safetensors", vace).value();
    EXPECT_THAT(message(), HasSubstr("vace_blocks"));
    fs::remove(m_models / "config.json");
    writeTransformer(tiny / "transformer", "tiny.safetensors");
    fs::remove(m_models / "config.json");
    EXPECT_THAT(message(), HasSubstr("a multiple of 128 (a head's) was needed"));
}

}  // namespace
}  // namespace reelgrid::models::wan
