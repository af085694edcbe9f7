#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QWheelEvent>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/machine/local_machine.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/panels/clock_text.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/job_row.h"
#include "widgets/panels/motion_fields.h"
#include "widgets/panels/picture_slot.h"
#include "widgets/panels/rank_fields.h"
#include "widgets/panels/request_editor.h"
#include "widgets/panels/sampling_fields.h"
#include "widgets/panels/words_popup.h"

namespace reelgrid::widgets {
namespace {

class RequestEditorTest : public testing::Test {
  protected:
    RequestEditorTest() {
        families::ModelInfo model;
        model.id = "demo";
        model.title = "Demo";
        model.tasks = {{.name = "t2v"}};
        model.defaults.width = 256;
        model.defaults.height = 144;
        model.defaults.numFrames = 33;
        model.defaults.numInferenceSteps = 20;
        model.sizes.sizeMultiple = 16;
        model.frames = {.stride = 4, .first = 1, .most = 4093};
        model.defaults.task = "t2v";
        model.defaults.fps = 16;
        model.extraFields = {"negative_prompt", "guidance_scale", "scheduler",
                             "flow_shift",      "step_cache",     "use_dynamic_cfg"};
        model.schedulers = {"unipc", "euler"};
        m_editor.setBackends({{"sdpa", "sdpa", ""},
                              {"fav2", "fav2", ""},
                              {"sagev1", "sagev1", ""},
                              {"fav3", "fav3", "exact\nOn the CPU: <other> blocks", false}});
        families::ModelInfo other = model;
        other.id = "/models/other";
        other.title = "Other";
        for (const char* key : {"guidance_scale_2",
                                "lora",
                                "lora_2",
                                "offload",
                                "vae_tiling",
                                "vae_tile_px",
                                "use_fp8_gemms",
                                "use_bf16_te_gemms",
                                "use_dynamic_cfg",
                                "motion_adapter",
                                "prompt_travel",
                                "loop",
                                "prompt_2",
                                "prompt_3",
                                "negative_prompt_2",
                                "negative_prompt_3",
                                "max_sequence_length",
                                "temporal_module",
                                "temporal_alpha",
                                "skip_guidance_layers",
                                "skip_layer_guidance_scale",
                                "skip_layer_guidance_start",
                                "skip_layer_guidance_stop",
                                "motion_bucket_id",
                                "noise_aug_strength",
                                "min_guidance_scale",
                                "max_guidance_scale",
                                "decode_chunk_size",
                                "linear",
                                "sigma_max",
                                "boundary",
                                "ulysses_degree",
                                "shard_weights"})
            other.extraFields.emplace_back(key);
        other.tasks = {
            {.name = "t2v"},
            {.name = "i2v", .image = families::Need::Required, .lastImage = families::Need::Optional}};
        m_editor.setModels({model, other});
        const auto guide =
            PromptGuide::parse(R"({"words": {"objects": ["car", "fire truck"], "backgrounds": ["on a beach"],
            "motions": ["falling"], "colours": ["red"]}, "suggestions": ["a red car", "a fire truck falling"]})",
                               "guide");
        EXPECT_TRUE(guide);
        if (guide) m_editor.setPromptGuide(*guide);
    }
    template <class Field>
    Field* field(const QString& name) {
        for (Field* each : m_editor.findChildren<Field*>())
            if (each->accessibleName() == name) return each;
        return nullptr;
    }
    QPushButton* button(const QString& text) {
        for (auto* each : m_editor.findChildren<QPushButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    bool noteShows() { return m_editor.findChild<QLabel*>("note")->isVisible(); }
    bool noteComes() {
        return waitUntil([&] { return noteShows(); }, 3000);
    }
    RequestEditor m_editor{machine::LocalMachine().now()};
};

TEST_F(RequestEditorTest, ATooltipSaysWhatABackendIsAndWhereItDeviates) {
    const auto boxes = m_editor.findChildren<QCheckBox*>();
    const auto fav3 = std::ranges::find(boxes, QString("fav3"), &QCheckBox::text);
    ASSERT_NE(fav3, boxes.end());
    EXPECT_EQ((*fav3)->toolTip(), "<p>exact</p><p>On the CPU: &lt;other&gt; blocks</p>");
}

TEST_F(RequestEditorTest, StartsWithTheModelsDefaultsAndTheBackendsToBeginWith) {
    EXPECT_EQ(m_editor.problem(), "");
    const auto request = m_editor.request();
    EXPECT_EQ(request.model, "demo");
    EXPECT_EQ(request.prompt, "a red car");
    EXPECT_EQ(request.width, 256);
    EXPECT_EQ(request.height, 144);
    EXPECT_EQ(request.numFrames, 33);
    EXPECT_EQ(request.numInferenceSteps, 20);
    EXPECT_EQ(request.seed, 42U);
    EXPECT_EQ(m_editor.checkedBackends(), (QStringList{"sdpa", "fav2", "sagev1"}));
}

TEST_F(RequestEditorTest, SaysWhatTheCommandLineSaysAndWillNotRender) {
    int renders = 0;
    QObject::connect(&m_editor, &RequestEditor::renderRequested, [&] { ++renders; });
    QPushButton* render = nullptr;
    for (auto* button : m_editor.findChildren<QPushButton*>())
        if (button->objectName() == "primary") render = button;
    ASSERT_NE(render, nullptr);

    field<QSpinBox>("Width")->setValue(250);
    EXPECT_TRUE(m_editor.problem().startsWith("--width 250: a multiple of 16"))
        << m_editor.problem().toStdString();
    EXPECT_TRUE(field<QSpinBox>("Width")->property("invalid").toBool());
    EXPECT_FALSE(render->isEnabled());
    field<QSpinBox>("Width")->setValue(256);
    EXPECT_FALSE(field<QSpinBox>("Width")->property("invalid").toBool());
    field<QSpinBox>("Frames")->setValue(30);
    EXPECT_TRUE(m_editor.problem().startsWith("--num-frames 30"));
    field<QSpinBox>("Frames")->setValue(33);
    field<QLineEdit>("Seed")->setText("-1");
    EXPECT_TRUE(m_editor.problem().startsWith("--seed -1"));
    field<QLineEdit>("Seed")->setText("18446744073709551615");
    EXPECT_EQ(m_editor.request().seed, 18446744073709551615U);
    m_editor.setCheckedBackends({});
    EXPECT_FALSE(render->isEnabled());
    m_editor.setCheckedBackends({"fav2", "flashier"});
    EXPECT_EQ(m_editor.checkedBackends(), QStringList{"fav2"});  // one that isn't offered can't be chosen
    render->click();
    EXPECT_EQ(renders, 1);
}

TEST_F(RequestEditorTest, AsksForPicturesWhereTheModelTakesThem) {
    m_editor.show();
    auto* pictures = m_editor.findChild<PictureFields*>();
    ASSERT_NE(pictures, nullptr);
    EXPECT_FALSE(pictures->isVisible());
    QStringList wanted;
    QObject::connect(&m_editor, &RequestEditor::thumbnailRequested,
                     [&](const QString& path) { wanted.append(path); });
    field<QComboBox>("Model")->setCurrentText("Other");
    ASSERT_EQ(m_editor.request().model, "/models/other");
    EXPECT_TRUE(pictures->isVisible());
    EXPECT_FALSE(field<PictureSlot>("First picture")->isVisible()) << "its first task is t2v";
    EXPECT_FALSE(m_editor.request().task);

    m_editor.setPicture(PictureFields::Which::First, "/a/first.png");
    EXPECT_EQ(m_editor.request().imgFilePath, "/a/first.png");
    EXPECT_EQ(m_editor.request().task, "i2v") << "which takes it";
    wanted.clear();
    m_editor.askForThumbnails();
    EXPECT_EQ(wanted, QStringList{"/a/first.png"});
    EXPECT_TRUE(field<PictureSlot>("First picture")->isVisible());
    EXPECT_TRUE(field<PictureSlot>("Last picture")->isVisible());
    EXPECT_EQ(wanted, QStringList{"/a/first.png"});
    field<QComboBox>("Task")->setCurrentIndex(0);
    EXPECT_FALSE(m_editor.request().imgFilePath) << "t2v takes none";
    field<QComboBox>("Task")->setCurrentIndex(1);
    EXPECT_EQ(m_editor.request().imgFilePath, "/a/first.png") << "it is still chosen";

    field<QComboBox>("Model")->setCurrentText("Demo");
    EXPECT_FALSE(pictures->isVisible());
    EXPECT_FALSE(m_editor.request().imgFilePath);
    EXPECT_EQ(m_editor.problem(), "");
}

TEST_F(RequestEditorTest, TakesAPictureThatIsDropped) {
    field<QComboBox>("Model")->setCurrentText("Other");
    QMimeData picture, clip;
    picture.setUrls({QUrl::fromLocalFile("/a/first.WEBP")});
    clip.setUrls({QUrl::fromLocalFile("/a/clip.mp4")});
    const auto drop = [&](QWidget* on, const QMimeData& data) {
        QDragEnterEvent entered({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        entered.ignore();
        QCoreApplication::sendEvent(on, &entered);
        if (!entered.isAccepted()) return false;
        QDropEvent dropped({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(on, &dropped);
        return true;
    };
    EXPECT_FALSE(drop(&m_editor, clip)) << "the window opens clips";
    EXPECT_TRUE(drop(&m_editor, picture));
    EXPECT_EQ(m_editor.request().imgFilePath, "/a/first.WEBP");
    EXPECT_TRUE(drop(field<PictureSlot>("Last picture"), picture));
    EXPECT_EQ(m_editor.request().lastImgFilePath, "/a/first.WEBP");
    field<QComboBox>("Model")->setCurrentText("Demo");
    EXPECT_FALSE(drop(&m_editor, picture)) << "no task of this model takes one";
}

/// Every field with a value that is nobody's default.
protocol::RenderRequest nothingByDefault() {
    protocol::RenderRequest request;
    request.model = "/models/other";
    request.task = "i2v";
    request.prompt = "the earth  spinning\nin outer space";
    request.negativePrompt = "blurry";
    request.height = 160;
    request.width = 128;
    request.numFrames = 17;
    request.numInferenceSteps = 7;
    request.guidanceScale = 4.123456;
    request.fps = 23.976023976023978;
    request.scheduler = "euler";
    request.flowShift = 2.7182818284590451;
    request.seed = 18446744073709551615U;
    request.attentionType = "fav2";
    request.attentionPolicy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}}};
    request.dtype = "fp32";
    request.device = "cuda";
    request.vaeDtype = "bf16";
    request.fp32Precision = "tf32";
    request.generator = "cuda";
    request.useTorchCompile = true;
    request.useFp8Gemms = true;
    request.useBf16TeGemms = true;
    request.stepCache = 0.08;
    request.offload = "blocks";
    request.saveLatentsEvery = 2;
    request.useDynamicCfg = true;
    request.vaeTiling = "on";
    request.vaeTilePx = 128;
    request.profileOutput = "steps";
    request.profileWait = 1;
    request.profileWarmup = 1;
    request.profileActive = 3;
    request.imgFilePath = "/first.png";
    request.lastImgFilePath = "/last.png";
    request.pictureFit = "stretch";
    request.guidanceScale2 = 3;
    request.lora = {"/one.safetensors:0.5"};
    request.lora2 = {"/two.safetensors"};
    request.useFp8Gemms = true;
    request.useBf16TeGemms = true;
    request.stepCache = 0.1;
    request.offload = "blocks";
    request.saveLatentsEvery = 7;
    request.useDynamicCfg = true;
    request.sigmaMax = 1600;
    request.boundary = 0.8;
    request.vae = "/vae.pth";
    request.textEncoder = "/umt5.pth";
    request.transformer2 = "/low.pth";
    request.linear = "int8";
    request.slaTopk = 0.2;
    request.shardWeights = true;
    request.recipe = "lightx2v-t2v";
    request.motionAdapter = "/motion";
    request.motionAdapterSkip = {"up1"};
    request.clipSkip = 1;
    request.temporalAlpha = 0.35;
    request.contextFrames = 12;
    request.contextStride = 3;
    request.contextWeights = "flat";
    request.contextNoise = "random";
    request.loop = true;
    request.promptTravel = "8: a boat";
    request.framesTogether = 4;
    request.chainFrom = "/first.safetensors";
    request.chainSave = "/second.safetensors";
    request.chainAlpha = 0.4;
    request.freeInit = 3;
    request.prompt2 = "in oil";
    request.prompt3 = "a long tale";
    request.negativePrompt2 = "grey";
    request.negativePrompt3 = "dull";
    request.maxSequenceLength = 77;
    request.temporalModule = "/temporal";
    request.skipGuidanceLayers = "7-9";
    request.skipLayerGuidanceScale = 3;
    request.skipLayerGuidanceStart = 0.1;
    request.skipLayerGuidanceStop = 0.5;
    request.motionBucketId = 180;
    request.noiseAugStrength = 0.1;
    request.minGuidanceScale = 1.5;
    request.maxGuidanceScale = 4;
    request.decodeChunkSize = 2;
    request.lockstep = {"fav2"};
    request.saveInputs = true;
    request.inputDir = "/captures";
    request.maxCaptures = 3;
    request.captureModule = "all";
    request.captureLayers = "0,5-9";
    request.captureSteps = "-1";
    request.maxCaptureGib = 1.5;
    request.numRepetitions = 3;
    request.keepFrames = "off";
    request.output = "/results/clip.mp4";
    return request;
}

TEST_F(RequestEditorTest, TakesARequestBackAsItGaveIt) {
    const protocol::RenderRequest request = nothingByDefault();
    // Whoever adds a field to the request adds it above: a field at its default would pass without being
    // kept.
    const nlohmann::json untouched = toJson(protocol::RenderRequest());
    const nlohmann::json given = toJson(request);
    for (const auto& [key, value] : given.items()) {
        if (key == "force_output_size") continue;  // the editor says it as picture_fit
        EXPECT_NE(untouched.contains(key) ? untouched[key] : nlohmann::json(), value) << key;
    }
    m_editor.setRequest(request);
    EXPECT_EQ(toJson(m_editor.request()), given);
    m_editor.setRequest(m_editor.request());
    EXPECT_EQ(toJson(m_editor.request()), given);
}

TEST_F(RequestEditorTest, TheWheelScrollsAndChangesNoFieldThatItPasses) {
    m_editor.show();
    for (QWidget* field : {static_cast<QWidget*>(field<QSpinBox>("Frames")),
                           static_cast<QWidget*>(field<QComboBox>("Model"))}) {
        field->clearFocus();
        QWheelEvent event({5, 5}, field->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(field, &event);
    }
    EXPECT_EQ(m_editor.request().numFrames, 33);
    EXPECT_EQ(m_editor.request().model, "demo");
}

TEST(RequestEditor, WithoutAModelNothingIsMadeUpForARequest) {
    RequestEditor editor(machine::LocalMachine().now());
    protocol::RenderRequest request;
    request.model = "/models/gone";
    request.prompt = "a car";
    request.height = 64;
    request.negativePrompt = "";
    editor.setRequest(request);
    EXPECT_EQ(toJson(editor.request()), toJson(request));
}

TEST_F(RequestEditorTest, WhatARequestLeavesToTheModelIsTheModelsAgain) {
    m_editor.setRequest(nothingByDefault());
    protocol::RenderRequest plain;
    plain.model = "/models/other";
    plain.prompt = "a car";
    m_editor.setRequest(plain);
    const protocol::RenderRequest shown = m_editor.request();
    EXPECT_EQ(shown.width, 256);
    EXPECT_EQ(shown.numInferenceSteps, 20);
    EXPECT_FALSE(shown.scheduler || shown.flowShift || shown.fps || shown.dtype || shown.device);
    EXPECT_EQ(shown.numRepetitions, 1);
}

TEST_F(RequestEditorTest, TheAdvancedFieldsUnfoldWhenTheyHoldSomethingAndAreChecked) {
    m_editor.show();
    auto* scheduler = field<QComboBox>("Scheduler");
    auto* shift = field<QLineEdit>("Flow shift");
    EXPECT_FALSE(scheduler->isVisible());
    EXPECT_EQ(scheduler->currentText(), "model's");
    auto request = m_editor.request();
    request.flowShift = 2.5;
    m_editor.setRequest(request);
    EXPECT_TRUE(scheduler->isVisible());
    EXPECT_EQ(shift->text(), "2.5");
    EXPECT_EQ(m_editor.problem(), "");
    shift->setText("much");
    EXPECT_EQ(m_editor.problem(), "--flow-shift much: a number was needed");
    EXPECT_TRUE(shift->property("invalid").toBool());
    shift->setText("-1");
    EXPECT_TRUE(m_editor.problem().startsWith("--flow-shift -1: ")) << m_editor.problem().toStdString();
    shift->setText("");
    EXPECT_EQ(m_editor.problem(), "");
    EXPECT_FALSE(m_editor.request().flowShift);
    scheduler->setCurrentIndex(scheduler->findText("euler"));
    EXPECT_EQ(m_editor.request().scheduler, "euler");
    request.dtype = "fp8";  // as somebody's session may have it
    m_editor.setRequest(request);
    EXPECT_EQ(m_editor.request().dtype, "fp8");
    EXPECT_TRUE(m_editor.problem().startsWith("--dtype fp8: ")) << m_editor.problem().toStdString();
}

TEST_F(RequestEditorTest, OffersPromptsAtFramesLoopsAndAMotionAdapterWhereTheModelTakesThem) {
    m_editor.show();
    families::ModelInfo moving = m_editor.models().front();
    moving.id = "moving";
    moving.extraFields = {"motion_adapter", "prompt_travel", "loop"};
    families::ModelInfo other = moving;
    other.id = "other";
    other.extraFields.clear();
    m_editor.addModel(other);
    EXPECT_FALSE(m_editor.findChild<MotionFields*>()->isVisible());
    m_editor.addModel(moving);
    EXPECT_TRUE(m_editor.findChild<MotionFields*>()->isVisible());
    for (auto* button : m_editor.findChildren<QPushButton*>())
        if (button->text() == "Add prompt at a frame") button->click();
    field<QLineEdit>("Prompt at frame 8")->setText("a dog");
    EXPECT_EQ(m_editor.request().promptTravel, "8: a dog");
    field<QLineEdit>("Motion adapter")->setText(" /adapters/mm.ckpt ");
    EXPECT_EQ(m_editor.request().motionAdapter, "/adapters/mm.ckpt");

    protocol::RenderRequest request = m_editor.request();
    request.promptTravel = "4: a cat | 12: a fox";
    request.loop = true;
    request.motionAdapter.reset();
    m_editor.setRequest(request);
    EXPECT_EQ(m_editor.request(), request);
    field<QPushButton>("Remove the prompt at frame 4")->click();
    EXPECT_EQ(m_editor.request().promptTravel, "12: a fox");
    field<QLineEdit>("Prompt at frame 12")->setText("a | b");
    EXPECT_TRUE(m_editor.problem().startsWith("--prompt-travel ' b': FRAME: PROMPT"))
        << m_editor.problem().toStdString();
    request = m_editor.request();
    m_editor.addModel(other);
    EXPECT_EQ(m_editor.request().promptTravel, "") << "of no use there";
}

TEST_F(RequestEditorTest, OffersThreePromptsAndSkippedLayersWhereTheModelTakesThem) {
    m_editor.show();
    families::ModelInfo image = m_editor.models().front();
    image.id = "image";
    image.layers = 24;
    image.extraFields = {"guidance_scale",
                         "prompt_2",
                         "negative_prompt_2",
                         "skip_guidance_layers",
                         "skip_layer_guidance_scale",
                         "temporal_alpha",
                         "temporal_module"};
    image.defaults.temporalAlpha = 0.35;
    image.defaults.guidanceScale = 3.5;
    m_editor.addModel(image);
    const auto t5IsOut = [&] {
        for (auto* label : m_editor.findChildren<QLabel*>())
            if (label->text().startsWith("T5 is left out")) return label->isVisible();
        return false;
    };
    EXPECT_TRUE(t5IsOut());
    EXPECT_TRUE(field<QLineEdit>("Prompt 2")->isVisible());
    EXPECT_FALSE(field<QLineEdit>("Prompt 3")->isVisible()) << "there is nobody to read it";
    EXPECT_EQ(field<QLineEdit>("Temporal")->placeholderText(), "0.35");
    EXPECT_FALSE(m_editor.request().prompt2 || m_editor.request().temporalAlpha) << "the model's own";
    field<QLineEdit>("Prompt 2")->setText("in oil");
    field<QLineEdit>("Temporal")->setText("0.5");
    field<QLineEdit>("Temporal module")->setText("/module");
    EXPECT_EQ(m_editor.request().prompt2, "in oil");
    EXPECT_EQ(m_editor.request().temporalAlpha, 0.5);
    EXPECT_EQ(m_editor.request().temporalModule, "/module");

    EXPECT_FALSE(field<QLineEdit>("Skip scale")->isVisible()) << "of no layers";
    field<QLineEdit>("Skip layers")->setText("7-9");
    EXPECT_TRUE(field<QLineEdit>("Skip scale")->isVisible());
    field<QLineEdit>("Skip scale")->setText("far");
    EXPECT_EQ(m_editor.problem(), "--skip-layer-guidance-scale far: a number was needed");
    EXPECT_TRUE(field<QLineEdit>("Skip scale")->property("invalid").toBool());
    field<QLineEdit>("Skip scale")->setText("3");
    EXPECT_EQ(m_editor.request().skipLayerGuidanceScale, 3);
    field<QLineEdit>("Skip layers")->setText("7-99");
    EXPECT_TRUE(m_editor.problem().startsWith("--skip-guidance-layers")) << m_editor.problem().toStdString();
    field<QLineEdit>("Skip layers")->setText("");
    EXPECT_EQ(m_editor.request().skipLayerGuidanceScale, 2.8) << "of no layers";

    families::ModelInfo whole = image;
    whole.id = "whole";
    whole.extraFields.emplace_back("prompt_3");
    m_editor.addModel(whole);
    EXPECT_FALSE(t5IsOut());
    EXPECT_TRUE(field<QLineEdit>("Prompt 3")->isVisible());
}

TEST_F(RequestEditorTest, AsksForAPictureAndHowItMovesWhereThereIsNoPrompt) {
    m_editor.show();
    families::ModelInfo moving = m_editor.models().front();
    moving.id = "moving";
    moving.tasks = {{.name = "i2v", .prompt = families::Need::No, .image = families::Need::Required}};
    moving.defaults.task = "i2v";
    moving.defaults.motionBucketId = 127;
    moving.extraFields = {"img_file_path",      "motion_bucket_id",   "noise_aug_strength",
                          "min_guidance_scale", "max_guidance_scale", "decode_chunk_size"};
    m_editor.addModel(moving);
    EXPECT_TRUE(m_editor.takePicture("/a/cat.png"));
    EXPECT_EQ(m_editor.problem(), "");
    EXPECT_EQ(m_editor.request().imgFilePath, "/a/cat.png");
    EXPECT_EQ(m_editor.request().prompt, "");
    auto* motion = field<QLineEdit>("Motion");
    EXPECT_EQ(motion->placeholderText(), "127");
    motion->setText("a lot");
    EXPECT_EQ(m_editor.problem(), "--motion-bucket-id a lot: a whole number was needed");
    motion->setText("5000");
    EXPECT_TRUE(m_editor.problem().startsWith("--motion-bucket-id 5000: a value from 0 to 1023"));
    motion->setText("180");
    field<QLineEdit>("Decode")->setText("2");
    EXPECT_EQ(m_editor.request().motionBucketId, 180);
    EXPECT_EQ(m_editor.request().decodeChunkSize, 2);
    field<QComboBox>("Model")->setCurrentText("Demo");
    EXPECT_FALSE(m_editor.takePicture("/a/cat.png")) << "which takes none";
    EXPECT_FALSE(m_editor.request().motionBucketId);
}

TEST_F(RequestEditorTest, OffersTheKeysThatSparseAttentionKeepsWhereItIsChosen) {
    m_editor.show();
    m_editor.setBackends({{"sdpa", "sdpa", ""}, {"sla", "sla", "", false}});
    auto* kept = field<QLineEdit>("Keys kept by sla");
    EXPECT_FALSE(kept->isVisible());
    m_editor.setCheckedBackends({"sdpa", "sla"});
    EXPECT_TRUE(kept->isVisible());
    EXPECT_EQ(kept->placeholderText(), "0.1");
    kept->setText("0.2");
    EXPECT_EQ(m_editor.request().slaTopk, 0.2);
    kept->setText("0");
    EXPECT_TRUE(m_editor.problem().startsWith("--sla-topk 0: ")) << m_editor.problem().toStdString();
    kept->setText("");
    EXPECT_EQ(m_editor.request().slaTopk, protocol::kSlaTopk);
}

TEST_F(RequestEditorTest, OffersTheParametersOfCheckedBackends) {
    m_editor.show();
    m_editor.setBackends({{"sdpa", "sdpa", ""}, {"sta", "sta", "", false}, {"sparge", "sparge", "", false}});
    auto* window = field<QLineEdit>("sta.window");
    auto* share = field<QLineEdit>("sparge.cdfthreshd");
    ASSERT_TRUE(window != nullptr && share != nullptr);
    EXPECT_FALSE(window->isVisible());
    m_editor.setCheckedBackends({"sdpa", "sta"});
    EXPECT_TRUE(window->isVisible());
    EXPECT_FALSE(share->isVisible());
    EXPECT_EQ(window->placeholderText(), "3,3,3");
    EXPECT_TRUE(share->toolTip().contains("0 to 1")) << share->toolTip().toStdString();
    EXPECT_TRUE(m_editor.request().backendOption.empty());
    window->setText("3, 5,5");
    EXPECT_EQ(m_editor.request().backendOption, std::vector<std::string>{"sta.window=3,5,5"});
    EXPECT_EQ(m_editor.problem(), QString());
    window->setText("3,5");
    EXPECT_TRUE(m_editor.problem().startsWith("--backend-option sta.window=3,5: "))
        << m_editor.problem().toStdString();
    EXPECT_TRUE(window->property("invalid").toBool());
    window->setText("3,0,5");
    EXPECT_TRUE(m_editor.problem().endsWith("sta.window: 1 or more was needed"))
        << m_editor.problem().toStdString();
    window->setText("");
    EXPECT_EQ(m_editor.problem(), QString());
    EXPECT_FALSE(window->property("invalid").toBool());
}

TEST_F(RequestEditorTest, KeepsTheParametersThatARequestHas) {
    m_editor.show();
    protocol::RenderRequest request = m_editor.request();
    request.backendOption = {"sparge.cdfthreshd=0.9", "mine.size=3"};
    m_editor.setRequest(request);
    auto* share = field<QLineEdit>("sparge.cdfthreshd");
    EXPECT_EQ(share->text(), "0.9");
    EXPECT_TRUE(share->isVisible()) << "it has a value, though its backend isn't checked";
    EXPECT_EQ(m_editor.request().backendOption,
              (std::vector<std::string>{"mine.size=3", "sparge.cdfthreshd=0.9"}));
    share->setText("");
    EXPECT_FALSE(share->isVisible());
    EXPECT_EQ(m_editor.request().backendOption, std::vector<std::string>{"mine.size=3"});
}

TEST_F(RequestEditorTest, ShowsNoGuidanceBesideRcmUnlessItIsAskedFor) {
    families::ModelInfo two = m_editor.models().front();
    two.id = "two-experts";
    two.extraFields = {"guidance_scale", "guidance_scale_2", "scheduler"};
    two.schedulers = {"unipc", "rcm", "rcm-ode"};
    two.defaults.guidanceScale = 4;
    two.defaults.guidanceScale2 = 3;
    m_editor.addModel(two);
    auto* scheduler = field<QComboBox>("Scheduler");
    const auto choose = [&](const char* name) { scheduler->setCurrentIndex(scheduler->findData(name)); };
    const auto guidance = [&] {
        const protocol::RenderRequest request = m_editor.request();
        return std::pair(request.guidanceScale.value_or(0), request.guidanceScale2.value_or(0));
    };
    EXPECT_EQ(guidance(), std::pair(4.0, 3.0));
    choose("rcm");
    EXPECT_EQ(guidance(), std::pair(1.0, 1.0));
    choose("rcm-ode");
    EXPECT_EQ(guidance(), std::pair(1.0, 1.0));
    choose("unipc");
    EXPECT_EQ(guidance(), std::pair(4.0, 3.0));
    field<QDoubleSpinBox>("Guidance")->setValue(2.5);
    choose("rcm");
    EXPECT_EQ(guidance(), std::pair(2.5, 1.0)) << "what a person chose stays";

    protocol::RenderRequest asked;
    asked.model = two.id;
    asked.scheduler = "rcm";
    m_editor.setRequest(protocol::RenderRequest(asked));
    EXPECT_EQ(guidance(), std::pair(1.0, 1.0)) << "the request leaves it open";
    asked.guidanceScale = 4;
    asked.guidanceScale2 = 3;
    m_editor.setRequest(protocol::RenderRequest(asked));
    EXPECT_EQ(guidance(), std::pair(4.0, 3.0)) << "the request says so";
    asked = {};
    asked.model = two.id;
    asked.guidanceScale = 1;
    m_editor.setRequest(protocol::RenderRequest(asked));
    EXPECT_EQ(guidance(), std::pair(1.0, 1.0)) << "as on the command line both experts'";
}

TEST_F(RequestEditorTest, OffersHowARenderIsComputedWhereTheModelTakesIt) {
    m_editor.show();
    families::ModelInfo two = m_editor.models().front();
    two.id = "two-experts";
    two.extraFields = {"guidance_scale", "guidance_scale_2", "lora",          "lora_2",
                       "offload",        "vae_tiling",       "use_fp8_gemms", "use_bf16_te_gemms"};
    two.defaults.guidanceScale = 4;
    two.defaults.guidanceScale2 = 3;
    families::ModelInfo bare = two;
    bare.id = "bare";
    bare.extraFields.clear();
    m_editor.addModel(bare);
    EXPECT_EQ(m_editor.findChild<LoraFields*>()->isVisible(), false);
    m_editor.addModel(two);
    EXPECT_EQ(m_editor.request().guidanceScale2, 3.0) << "the second expert's own default";
    m_editor.addLora(LoraFields::Which::First, "/loras/detail.safetensors");
    m_editor.addLora(LoraFields::Which::Second, "/loras/low.safetensors");
    EXPECT_TRUE(m_editor.findChild<LoraFields*>()->isVisible());
    field<QDoubleSpinBox>("Scale of detail.safetensors")->setValue(0.5);
    EXPECT_EQ(m_editor.request().lora, std::vector<std::string>{"/loras/detail.safetensors:0.5"});
    EXPECT_EQ(m_editor.request().lora2, std::vector<std::string>{"/loras/low.safetensors"});
    field<QPushButton>("Remove detail.safetensors")->click();
    EXPECT_TRUE(m_editor.request().lora.empty());

    const protocol::RenderRequest usual;
    EXPECT_EQ(m_editor.request().offload, usual.offload);
    EXPECT_FALSE(m_editor.request().vaeTiling || m_editor.request().vaeTilePx);
    auto* offload = field<QComboBox>("Offload");
    offload->setCurrentIndex(offload->findData("blocks"));
    auto* tiling = field<QComboBox>("Tiles of the VAE");
    tiling->setCurrentIndex(tiling->findData("on"));
    field<QSpinBox>("Steps between kept ones")->setValue(2);
    const protocol::RenderRequest asked = m_editor.request();
    EXPECT_EQ(asked.offload, "blocks");
    EXPECT_EQ(asked.vaeTiling, "on");
    EXPECT_EQ(asked.saveLatentsEvery, 2);
    m_editor.setRequest(protocol::RenderRequest(asked));
    EXPECT_TRUE(offload->isVisible()) << "unfolded, as something is not the usual";
    EXPECT_EQ(m_editor.request(), asked);
}

TEST_F(RequestEditorTest, OffersProcessesThatShareARenderWhereTheModelCanBeShared) {
    m_editor.show();
    auto* ranks = m_editor.findChild<RankFields*>();
    EXPECT_TRUE(ranks->isHidden()) << "the demo of this test takes no degrees";
    families::ModelInfo model = m_editor.models().front();
    model.id = "shareable";
    model.defaults.guidanceScale = 4;
    model.extraFields.insert(model.extraFields.end(), {"ulysses_degree", "shard_weights"});
    m_editor.addModel(model);
    EXPECT_FALSE(ranks->isHidden());
    const protocol::RenderRequest alone = m_editor.request();
    EXPECT_FALSE(alone.ulyssesDegree || alone.ringDegree || alone.cfgParallel || alone.shardWeights);

    field<QSpinBox>("Ulysses degree")->setValue(3);
    protocol::RenderRequest asked = m_editor.request();
    EXPECT_EQ(asked.ulyssesDegree, 3);
    EXPECT_EQ(asked.ringDegree, 1) << "clips are named as the command line names them";
    EXPECT_FALSE(asked.cfgParallel);
    const auto check = [&](const QString& text) {
        for (auto* box : m_editor.findChildren<QCheckBox*>())
            if (box->text() == text) return box;
        return static_cast<QCheckBox*>(nullptr);
    };
    check("Both passes of guidance at once")->click();
    check("A part of the weights in each process")->click();
    asked = m_editor.request();
    EXPECT_EQ(asked.cfgParallel, 2);
    EXPECT_TRUE(asked.shardWeights);
    EXPECT_EQ(m_editor.problem(), "");
    bool isCounted = false;
    for (const auto* label : ranks->findChildren<QLabel*>())
        isCounted = isCounted || label->text() == "6 processes render each clip; memory is of each";
    EXPECT_TRUE(isCounted);

    field<QSpinBox>("Ring degree")->setValue(11);
    EXPECT_EQ(
        m_editor.problem(),
        "--ulysses-degree 3 x --ring-degree 11 x --cfg-parallel 2 are 66 ranks: at most 64 of one machine "
        "were needed");
    EXPECT_TRUE(field<QSpinBox>("Ulysses degree")->property("invalid").toBool());

    // As the command line refuses it.
    protocol::RenderRequest without = alone;
    without.shardWeights = true;
    m_editor.setRequest(without);
    EXPECT_EQ(
        m_editor.problem(),
        "--shard-weights: one process holds all weights; several ranks (--nproc N, or torchrun, srun or "
        "mpirun) were needed");
    EXPECT_TRUE(check("A part of the weights in each process")->isVisible());
    m_editor.setRequest(asked);
    EXPECT_EQ(m_editor.request(), asked);
    EXPECT_TRUE(field<QSpinBox>("Ulysses degree")->isVisible()) << "unfolded, as something is not the usual";
    m_editor.setRequest(alone);
    EXPECT_EQ(m_editor.request(), alone);
}

TEST(SamplingFields, OffersDynamicGuidanceAndFreeSizesWhereTheModelHasThem) {
    SamplingFields fields;
    fields.show();
    auto* dynamic = fields.findChild<QCheckBox*>();
    families::ModelInfo model;
    model.extraFields = {"use_dynamic_cfg"};
    model.isSizeFixed = true;
    fields.takeDefaults(model);
    EXPECT_TRUE(dynamic->isVisible());
    for (QSpinBox* box : fields.findChildren<QSpinBox*>())
        EXPECT_EQ(box->isEnabled(), optionOf(box) != "--width" && optionOf(box) != "--height");
    protocol::RenderRequest request;
    request.useDynamicCfg = true;
    fields.read(request);
    EXPECT_TRUE(dynamic->isChecked());
    protocol::RenderRequest written;
    fields.write(written);
    EXPECT_TRUE(written.useDynamicCfg);
    fields.takeDefaults({});
    EXPECT_FALSE(dynamic->isVisible());
    fields.read(request);
    fields.write(written);
    EXPECT_FALSE(written.useDynamicCfg) << "a model without it would refuse the request";
}

TEST_F(RequestEditorTest, KeepsWhatARequestAsksOfVaeFp32AndNoise) {
    m_editor.show();
    auto request = m_editor.request();
    EXPECT_FALSE(request.vaeDtype);
    request.vaeDtype = "bf16";
    request.fp32Precision = "tf32";
    request.generator = "cuda";
    m_editor.setRequest(request);
    EXPECT_TRUE(field<QComboBox>("Number format of the VAE")->isVisible());
    EXPECT_EQ(m_editor.request().vaeDtype, "bf16");
    EXPECT_EQ(m_editor.request().fp32Precision, "tf32");
    EXPECT_EQ(m_editor.request().generator, "cuda");
    field<QComboBox>("Number format of the VAE")->setCurrentIndex(0);
    EXPECT_FALSE(m_editor.request().vaeDtype);
}

TEST_F(RequestEditorTest, ShowsAPolicyInWordsUntilItIsRemoved) {
    m_editor.show();
    auto* rules = field<QLabel>("Attention policy");
    auto* remove = field<QPushButton>("Remove the policy");
    EXPECT_FALSE(rules->isVisible());
    EXPECT_FALSE(remove->isVisible());
    int asked = 0;
    QObject::connect(&m_editor, &RequestEditor::policyFileRequested, [&] { ++asked; });
    button("Policy…")->click();
    EXPECT_EQ(asked, 1);

    protocol::AttentionPolicy policy;
    policy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}},
                    {.backend = "fav2", .module = protocol::ModuleKind::Cross}};
    m_editor.setAttentionPolicy(policy);
    EXPECT_TRUE(rules->isVisible());
    EXPECT_EQ(rules->text(),
              "1. sdpa in self-attention, first 2 steps\n2. fav2 in cross-attention\nThe rest: the checked "
              "backends");
    EXPECT_EQ(m_editor.request().attentionPolicy, policy);
    remove->click();
    EXPECT_FALSE(rules->isVisible());
    EXPECT_TRUE(m_editor.request().attentionPolicy.empty());
}

TEST_F(RequestEditorTest, APolicyBeyondTheStepsIsAProblem) {
    auto request = m_editor.request();
    request.attentionPolicy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{0, 9}}};
    m_editor.setRequest(request);
    EXPECT_EQ(m_editor.problem(), "");
    EXPECT_EQ(m_editor.request().attentionPolicy, request.attentionPolicy);
    field<QSpinBox>("Steps")->setValue(8);
    EXPECT_TRUE(m_editor.problem().startsWith("--attention-policy: rule 1: steps [0, 9]: 0 to 7"))
        << m_editor.problem().toStdString();
    m_editor.setAttentionPolicy({{{.backend = "flashier"}}});
    EXPECT_TRUE(m_editor.problem().contains("flashier")) << m_editor.problem().toStdString();
}

TEST_F(RequestEditorTest, ExamplesAreTheSuggestionsOfTheGuide) {
    m_editor.show();
    ASSERT_NE(button("Examples"), nullptr);
    const QList<QAction*> examples = button("Examples")->menu()->actions();
    ASSERT_EQ(examples.size(), 2);
    EXPECT_EQ(examples[0]->text(), "a red car");
    examples[1]->trigger();
    EXPECT_EQ(m_editor.request().prompt, "a fire truck falling");
}

TEST_F(RequestEditorTest, ANoteSaysThatTheDemoModelKnowsNoObjectOfThePrompt) {
    m_editor.show();
    auto* prompt = field<QPlainTextEdit>("Prompt");
    EXPECT_FALSE(noteShows());
    prompt->setPlainText("a wizard on a beach");
    EXPECT_FALSE(noteShows());  // perhaps the word isn't complete yet
    EXPECT_TRUE(noteComes());
    EXPECT_EQ(m_editor.problem(), "");  // it can be rendered all the same
    prompt->setPlainText("two Fire Trucks on a beach");
    EXPECT_FALSE(noteShows());
    prompt->setPlainText("a carpet");
    EXPECT_TRUE(noteComes());
    prompt->setPlainText(" ");
    EXPECT_FALSE(noteShows());
}

TEST_F(RequestEditorTest, OtherModelsHaveNoGuide) {
    m_editor.show();
    field<QPlainTextEdit>("Prompt")->setPlainText("a wizard");
    ASSERT_TRUE(noteComes());
    field<QComboBox>("Model")->setCurrentIndex(1);
    EXPECT_FALSE(noteShows());
    EXPECT_FALSE(button("Words")->isVisible());
    EXPECT_FALSE(button("Examples")->isVisible());
    field<QComboBox>("Model")->setCurrentIndex(0);
    EXPECT_TRUE(noteShows());
    EXPECT_TRUE(button("Words")->isVisible());
}

TEST_F(RequestEditorTest, AWordOfTheGuideGoesWhereTheCursorIs) {
    m_editor.show();
    auto* prompt = field<QPlainTextEdit>("Prompt");
    prompt->setPlainText("a  falling");
    QTextCursor cursor = prompt->textCursor();
    cursor.setPosition(2);
    prompt->setTextCursor(cursor);
    button("Words")->click();
    auto* popup = m_editor.findChild<WordsPopup*>();
    ASSERT_TRUE(popup != nullptr && popup->isVisible());
    auto* words = popup->findChild<QTextBrowser*>();
    EXPECT_TRUE(words->toPlainText().contains("fire truck")) << words->toPlainText().toStdString();
    Q_EMIT words->anchorClicked(QUrl("word:fire%20truck"));
    EXPECT_EQ(prompt->toPlainText(), "a fire truck falling");
    cursor.movePosition(QTextCursor::End);
    prompt->setTextCursor(cursor);
    Q_EMIT words->anchorClicked(QUrl("word:on%20a%20beach"));
    EXPECT_EQ(prompt->toPlainText(), "a fire truck falling on a beach");
    EXPECT_TRUE(popup->isVisible());
}

TEST(JobPanel, OffersWhatCanBeDoneInEachState) {
    using jobs::JobState;
    JobPanel panel;
    panel.show();
    panel.setJob("j1", {"fav2", Qt::blue, JobState::Running, "denoise 3 / 20", 0.15, 12});
    const auto button = [&](const QString& name) {
        for (auto* each : panel.findChildren<QToolButton*>())
            if (each->accessibleName() == name) return each;
        return static_cast<QToolButton*>(nullptr);
    };
    QString cancelled;
    QString retried;
    QObject::connect(&panel, &JobPanel::cancelRequested, [&](const QString& id) { cancelled = id; });
    QObject::connect(&panel, &JobPanel::retryRequested, [&](const QString& id) { retried = id; });
    const QString again = "Render again";
    ASSERT_NE(button(again), nullptr);
    EXPECT_FALSE(button(again)->isVisible());
    button("Cancel")->click();
    EXPECT_EQ(cancelled, "j1");
    panel.setJob("j1", {"fav2", Qt::blue, JobState::Failed, "worker was killed", 0, -1});
    EXPECT_FALSE(button("Cancel")->isVisible());
    button(again)->click();
    EXPECT_EQ(retried, "j1");
    EXPECT_EQ(panel.jobCount(), 1);
    panel.removeFinished();
    EXPECT_EQ(panel.jobCount(), 0);
}

TEST(JobPanel, ALeftoverStaysUntilSomethingIsDoneAboutIt) {
    JobPanel panel;
    panel.resize(300, 300);
    panel.show();
    JobView left{"fav2", Qt::blue, jobs::JobState::Cancelled, "interrupted at step 12 of 50", 0, -1};
    left.subject = "a prompt that is longer than any row of a panel as narrow as this one";
    left.leftover = left.resumable = true;
    panel.setJob("j1", left);
    QCoreApplication::processEvents();
    const auto press = [&](const QString& text) {
        for (auto* each : panel.findChildren<QPushButton*>())
            if (each->text() == text && each->isVisible()) return each->click();
        ADD_FAILURE() << text.toStdString();
    };
    QStringList asked;
    QObject::connect(&panel, &JobPanel::resumeRequested, [&](const QString& id) { asked << "resume " + id; });
    QObject::connect(&panel, &JobPanel::retryRequested, [&](const QString& id) { asked << "retry " + id; });
    QObject::connect(&panel, &JobPanel::discardRequested,
                     [&](const QString& id) { asked << "discard " + id; });
    for (const char* text : {"Resume", "From the start", "Discard"}) press(text);
    EXPECT_EQ(asked, (QStringList{"resume j1", "retry j1", "discard j1"}));
    const auto labels = panel.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().startsWith("interrupted") && label->text().endsWith(QChar(0x2026)) &&
               label->toolTip().endsWith("this one");
    }));
    panel.removeFinished();
    EXPECT_EQ(panel.jobCount(), 1);
    panel.remove("j1");
    EXPECT_EQ(panel.jobCount(), 0);
}

TEST(JobPanel, WritesDurationsForPeople) {
    EXPECT_EQ(durationText(0.2), "0:01");
    EXPECT_EQ(durationText(61), "1:01");
    EXPECT_EQ(durationText(3725), "1:02:05");
}

TEST(ClockText, HasHoursWhereThereAreSome) {
    EXPECT_EQ(clockText(0), "00:00.000");
    EXPECT_EQ(clockText(62.5), "01:02.500");
    EXPECT_EQ(clockText(3599.9996), "1:00:00.000");
    EXPECT_EQ(clockText(31 * 3600 + 2.5), "31:00:02.500");
    EXPECT_EQ(clockText(600 * 3600.0 + 61), "600:01:01.000") << "more milliseconds than an int has";
}

TEST(IssuePanel, ShowsEachIssueOnceOnOneLineUntilDismissed) {
    IssuePanel panel;
    EXPECT_FALSE(panel.isVisible());
    panel.addIssue("clip.mp4: not\na video");
    panel.addIssue("clip.mp4: not a video");
    EXPECT_EQ(panel.issues(), QStringList{"clip.mp4: not a video"});
    EXPECT_TRUE(panel.isVisible());
    panel.findChild<QToolButton*>()->click();
    EXPECT_TRUE(panel.issues().isEmpty());
    EXPECT_FALSE(panel.isVisible());
}

}  // namespace
}  // namespace reelgrid::widgets
