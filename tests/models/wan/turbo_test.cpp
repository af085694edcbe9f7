#include <gmock/gmock.h>
#include <unistd.h>

#include "core/attention/make_dispatcher.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/catalog/model_catalog.h"
#include "core/machine/local_machine.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/linear_patch.h"
#include "core/models/wan/original_names.h"
#include "core/models/wan/transformer.h"
#include "core/pipeline/family_registry.h"
#include "core/pt/pt_file.h"
#include "core/pt/state_dict.h"
#include "core/text/encoders/umt5_original.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/int8_blocks.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/turbo";
const fs::path kWan = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan";
const fs::path kTiny = kWan / "tiny-pipeline";

json fixture(const char* name) {
    return readJsonObject(kFixtures / name).value();
}

using Parameters = std::map<std::string, std::vector<std::int64_t>>;

/// Of a checkpoint of TurboDiffusion's: names and shapes of its network's state_dict().
Parameters officialParameters(const std::string& size, const std::string& form) {
    const json recorded = fixture("official_parameters.json").at(size);
    Parameters all = recorded.at(form).at("rest").get<Parameters>();
    for (int layer = 0; layer < recorded.at("layers").get<int>(); ++layer)
        for (const auto& [name, shape] : recorded.at(form).at("block").items())
            all["blocks." + std::to_string(layer) + "." + name] = shape.get<std::vector<std::int64_t>>();
    return all;
}

class OfficialTurbo : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(OfficialTurbo, EveryTensorIsTakenByItsPublishedName) {
    const auto [size, form] = GetParam();
    const Parameters stored = officialParameters(size, form);
    const bool is14B = std::string(size) != "Wan2.1-1.3B";
    WanTransformerConfig config;
    config.numAttentionHeads = is14B ? 40 : 12;
    config.numLayers = is14B ? 40 : 30;
    config.ffnDim = is14B ? 13824 : 8960;
    config.inChannels = size == std::string("Wan2.2-A14B") ? 36 : 16;
    config.isDistilled = true;

    auto recording = std::make_unique<weights::RecordingWeights>(
        [&](const std::string& name) { return stored.contains(name); });
    const weights::RecordingWeights& asked = *recording;
    const auto shapeOf = [&](const std::string& name) -> std::optional<std::vector<std::int64_t>> {
        const auto found = stored.find(name);
        return found == stored.end() ? std::nullopt : std::optional(found->second);
    };
    const auto source = byDiffusersNames(std::make_unique<weights::Int8BlockWeights>(
        std::make_unique<LinearPatchWeights>(weights::WeightFile{std::move(recording), shapeOf, {}})));
    const WanTransformer model(config, weights::WeightScope(*source, at::kBFloat16));
    EXPECT_EQ(Parameters(asked.requests().begin(), asked.requests().end()), stored);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OfficialTurbo,
                         testing::Combine(testing::Values("Wan2.1-1.3B", "Wan2.1-14B", "Wan2.2-A14B"),
                                          testing::Values("plain", "quant")),
                         [](const auto& each) {
                             std::string name = std::get<0>(each.param);
                             std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                             return name + "_" + std::get<1>(each.param);
                         });

/// checkpoints/ and umt5-xxl/ as TurboDiffusion's users have them, in tiny.
class TurboModel : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("turbo_" + std::to_string(getpid()));
    fs::path m_checkpoints = m_folder / "checkpoints";

    void SetUp() override {
        fs::create_directories(m_checkpoints / "vae");
        fs::copy(kTiny / "tokenizer", m_folder / "umt5-xxl");
        writePth(kTiny / "text_encoder", m_checkpoints / "models_t5_umt5-xxl-enc-bf16.pth",
                 text::originalUmt5Name);
        const auto vae = vae::wan21::WanVaeConfig::from(weights::ModelConfig::read(kTiny / "vae"));
        writePth(kTiny / "vae", m_checkpoints / "vae/Wan2.1_VAE.pth",
                 [&](const std::string& name) { return vae::wan21::originalName(name, vae); });
        fs::copy(kTiny / "vae/config.json", m_checkpoints / "vae/config.json");
    }
    void TearDown() override { fs::remove_all(m_folder); }

    /// Tiny heads haven't the 128 channels of published ones.
    void writeHeads(int channels) const {
        const json config = {{"_class_name", "WanTransformer3DModel"}, {"attention_head_dim", channels}};
        writeFile(m_checkpoints / "config.json", config.dump()).value();
    }
    [[nodiscard]] std::string published(const std::string& name) const {
        writeHeads(24);
        fs::copy_file(kFixtures / name, m_checkpoints / name, fs::copy_options::overwrite_existing);
        return (m_checkpoints / name).string();
    }
    template <class NameOf>
    static void writePth(const fs::path& diffusers, const fs::path& file, const NameOf& nameOf) {
        weights::SafetensorsFolder stored(diffusers);
        pt::Dict dict;
        for (const std::string& name : stored.names())
            dict.add(nameOf(name),
                     weights::ptTensorOf(stored.require(name, *stored.shapeOf(name)).contiguous()));
        pt::writePt(file, dict).value();
    }
    /// An expert as TurboDiffusion stores it: its patch embedding is a linear layer.
    void writeExpert(const fs::path& diffusers, const fs::path& file) const {
        writeHeads(12);
        weights::SafetensorsFolder stored(diffusers);
        pt::Dict dict;
        for (const std::string& name : stored.names()) {
            at::Tensor tensor = stored.require(name, *stored.shapeOf(name));
            if (name == "patch_embedding.weight") tensor = tensor.flatten(1);
            dict.add(originalTransformerName(name), weights::ptTensorOf(tensor.contiguous()));
        }
        pt::writePt(file, dict).value();
    }

    static at::Tensor latentsOf(const protocol::RenderRequest& request, const char* backend = "sdpa") {
        const c10::InferenceMode inference;
        const auto model = catalog::findModel(request).value();
        const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
        pipeline::LoadChoices choices;
        choices.linear = settings.linear;
        const auto video = pipeline::loadModel(model, choices, {});
        EXPECT_EQ(video->gemms().has_value(), settings.linear == "int8");
        const auto attention = attention::makeDispatcher(backend).value();
        denoising::StageClock clock({}, {});
        const at::Tensor latents = denoising::denoise(*video, settings, *attention, clock);
        EXPECT_EQ(denoising::decode(*video, latents, settings, clock).frameCount(), settings.numFrames);
        return latents;
    }
    static protocol::RenderRequest requestFor(const std::string& model, const json& each) {
        protocol::RenderRequest request;
        request.model = model;
        request.prompt = fixture("cases.json").at("prompt");
        request.width = 48;
        request.height = 32;
        request.numFrames = 9;
        request.numInferenceSteps = each.at("steps");
        request.sigmaMax = each.at("sigma_max");
        request.seed = each.at("seed");
        if (each.at("ode")) request.scheduler = "rcm-ode";
        request.dtype = "fp32";
        request.device = "cpu";
        return request;
    }
    static void expectReference(const at::Tensor& latents, const json& each) {
        weights::SafetensorsFolder expected(kFixtures / "expected.safetensors");
        std::vector<std::int64_t> shape = latents.sizes().vec();
        shape.insert(shape.begin(), each.at("steps").get<std::int64_t>());
        const at::Tensor last =
            expected.require(each.at("name").get<std::string>() + ".latents", shape)[shape[0] - 1];
        const double error = ((latents - last).norm() / last.norm()).item<double>();
        EXPECT_LE(error, 1e-5) << each.dump();
    }
    static std::vector<json> casesOf(const std::string& kind) {
        std::vector<json> cases;
        const json all = fixture("cases.json");
        for (const json& each : all.at("cases"))
            if (each.at("kind") == kind) cases.push_back(each);
        EXPECT_FALSE(cases.empty()) << kind;
        return cases;
    }
};

TEST_F(TurboModel, RendersWhatTheReferenceRenders) {
    const std::string file = published("TurboWan2.1-T2V-tiny.pth");
    for (const json& each : casesOf("t2v")) expectReference(latentsOf(requestFor(file, each)), each);
}

TEST_F(TurboModel, StoredInIntegersRendersWhatItsScalesSay) {
    const std::string file = published("TurboWan2.1-T2V-tiny-quant.pth");
    for (const json& each : casesOf("t2v-quant")) {
        protocol::RenderRequest request = requestFor(file, each);
        request.linear = "fp32";
        expectReference(latentsOf(request), each);
    }
}

TEST_F(TurboModel, StoredInIntegersMultipliesThemUnlessAskedOtherwise) {
    const std::string file = published("TurboWan2.1-T2V-tiny-quant.pth");
    for (const json& each : casesOf("t2v-int8")) {
        protocol::RenderRequest request = requestFor(file, each);
        const at::Tensor integers = latentsOf(request);
        expectReference(integers, each);
        request.linear = "fp32";
        EXPECT_GT(((latentsOf(request) - integers).norm() / integers.norm()).item<double>(), 3e-3);
    }
}

TEST_F(TurboModel, OfAnyCheckpointCanBeMultipliedInIntegers) {
    const json each = casesOf("t2v").front();
    protocol::RenderRequest request = requestFor(published("TurboWan2.1-T2V-tiny.pth"), each);
    const at::Tensor plain = latentsOf(request);
    request.linear = "int8";
    const double error = ((latentsOf(request) - plain).norm() / plain.norm()).item<double>();
    EXPECT_GT(error, 1e-3);
    EXPECT_LT(error, 0.1);
    request.linear = "bf16";
    EXPECT_THAT(
        catalog::resolveSettings(request, catalog::findModel(request).value(), machine::LocalMachine().now())
            .error()
            .message,
        HasSubstr("--linear bf16: fp32, int8 or fp8 was needed"));
    request.linear = "int8";
    request.useFp8Gemms = true;
    EXPECT_THAT(
        catalog::resolveSettings(request, catalog::findModel(request).value(), machine::LocalMachine().now())
            .error()
            .message,
        HasSubstr("--use-fp8-gemms: --linear is int8"));
}

TEST_F(TurboModel, WeightsAndScalesThatAreNotFiniteAreNamed) {
    for (const auto& [name, kind, ending] :
         {std::tuple{"TurboWan2.1-T2V-tiny.pth", "t2v", ".weight"},
          std::tuple{"TurboWan2.1-T2V-tiny-quant.pth", "t2v-int8", ".scale"}}) {
        const std::string file = published(name);
        std::string spoilt;
        pt::Dict dict;
        const auto tensors = pt::readStateDict(file).value();
        for (const auto& [tensor, value] : tensors) {
            pt::Tensor written = value;
            if (spoilt.empty() && tensor.ends_with(ending) && tensor.starts_with("blocks.")) {
                const auto bytes = std::make_shared<const std::string>(value.storage->bytes.size(), '\xff');
                written.storage = std::make_shared<const pt::Storage>(pt::Storage{*bytes, bytes});
                spoilt = tensor;
            }
            dict.add(tensor, written);
        }
        ASSERT_FALSE(spoilt.empty()) << "no tensor ends in " << ending;
        // A new file: the one that is mapped above stays as it was.
        pt::writePt(file, dict).value();
        try {
            (void)latentsOf(requestFor(file, casesOf(kind).front()));
            ADD_FAILURE() << spoilt << ": rendered all the same";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::AllOf(HasSubstr(file + ": tensor"),
                                                                HasSubstr("has NaN or infinite values")));
        }
    }
}

TEST_F(TurboModel, HasTheScriptsDefaults) {
    const auto model = catalog::findModel(published("TurboWan2.1-T2V-tiny.pth"));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.1");
    EXPECT_EQ(model->defaults.numInferenceSteps, 4);
    EXPECT_EQ(model->defaults.guidanceScale, 1);
    EXPECT_EQ(model->defaults.width, 832);
    EXPECT_EQ(model->layers, 2);
    EXPECT_GT(model->components[0].parameters, 0);
    const Checkpoint files(model->source());
    const auto scheduler = files.config("scheduler", "scheduler_config.json");
    EXPECT_EQ(scheduler.text("_class_name"), "RCMScheduler");
    EXPECT_EQ(scheduler.number("sigma_max"), 80);
    EXPECT_EQ(pipeline::findFaults(*model).faults, std::vector<std::string>{});
}

TEST_F(TurboModel, AppliesItsProjLInSparseLinearAttention) {
    const json each = casesOf("t2v").front();
    const protocol::RenderRequest request = requestFor(published("TurboWan2.1-T2V-tiny.pth"), each);
    const at::Tensor dense = latentsOf(request), sparse = latentsOf(request, "sla");
    EXPECT_TRUE(sparse.isfinite().all().item<bool>());
    // Every key is kept at this size: what differs is the linear branch alone.
    EXPECT_GT(((sparse - dense).norm() / dense.norm()).item<double>(), 1e-3);
}

TEST_F(TurboModel, OfTwoExpertsRendersWhatTheReferenceRenders) {
    const fs::path high = m_checkpoints / "TurboWan2.2-I2V-A14B-high-720P.pth",
                   low = m_checkpoints / "TurboWan2.2-I2V-A14B-low-720P.pth";
    writeExpert(kWan / "variants/i2v-experts/transformer", high);
    writeExpert(kWan / "variants/i2v-experts/transformer_2", low);
    const auto model = catalog::findModel(low.string());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->family, "wan2.2-i2v");
    EXPECT_THAT(model->components[0].files,
                testing::UnorderedElementsAre(high, m_checkpoints / "config.json"));
    EXPECT_EQ(model->defaults.width, 1280);
    for (const json& each : casesOf("i2v")) {
        protocol::RenderRequest request = requestFor(high.string(), each);
        request.numFrames = 5;
        request.imgFilePath = (kFixtures / "picture.png").string();
        request.boundary = each.at("boundary");
        expectReference(latentsOf(request), each);
    }
}

TEST_F(TurboModel, TakesItsPartsFromWhereTheRequestSays) {
    const fs::path elsewhere = m_folder / "elsewhere";
    fs::create_directories(elsewhere);
    writeExpert(kWan / "variants/i2v-experts/transformer", m_checkpoints / "noisy.pth");
    writeExpert(kWan / "variants/i2v-experts/transformer_2", elsewhere / "clean.pth");
    fs::copy(m_checkpoints / "config.json", elsewhere / "config.json");
    fs::rename(m_checkpoints / "models_t5_umt5-xxl-enc-bf16.pth", elsewhere / "encoder.pth");
    fs::rename(m_checkpoints / "vae", elsewhere / "autoencoder");
    protocol::RenderRequest request;
    request.model = (m_checkpoints / "noisy.pth").string();
    EXPECT_THAT(catalog::findModel(request).error().message, HasSubstr("12 channels in"));
    request.transformer2 = (elsewhere / "clean.pth").string();
    EXPECT_THAT(catalog::findModel(request).error().message, HasSubstr("no VAE of Wan 2.1"));
    request.vae = (elsewhere / "autoencoder/Wan2.1_VAE.pth").string();
    EXPECT_THAT(catalog::findModel(request).error().message, HasSubstr("no umT5 encoder"));
    request.textEncoder = (elsewhere / "encoder.pth").string();
    const auto model = catalog::findModel(request);
    ASSERT_TRUE(model) << model.error().message;
    const Checkpoint files(model->source());
    EXPECT_EQ(files.path("transformer_2").filename(), "clean.pth");
    EXPECT_EQ(files.path("vae").filename(), "Wan2.1_VAE.pth");
    EXPECT_EQ(files.path("text_encoder").filename(), "encoder.pth");
    EXPECT_EQ(model->componentsElsewhere().empty(), false);
}

}  // namespace
}  // namespace reelgrid::models::wan
