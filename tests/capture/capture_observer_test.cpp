#include "core/capture/capture_observer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/attention/make_dispatcher.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/capture/captured_call.h"
#include "core/pt/pt_file.h"

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;
using attention::GuidanceBranch;
using attention::ModuleKind;
using attention::Replay;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kSteps = 4, kLayers = 3;
constexpr std::int64_t kHeadDim = 64;

attention::Inputs inputsOf(at::ScalarType dtype, std::int64_t queries, std::int64_t keys) {
    const auto make = [&](std::int64_t tokens) {
        return at::randn({1, tokens, 3, kHeadDim}).to(dtype).transpose(1, 2);
    };
    return {make(queries), make(keys), make(keys), {}};
}

class CaptureObserverTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("captures_" + std::to_string(getpid()));
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] CaptureOptions options(std::size_t most) const {
        return {.folder = m_folder / "captures",
                .kind = CaptureOptions::Folder::Shared,
                .extent = {{0, 1, 2, 3},
                           {GuidanceBranch::Conditional, GuidanceBranch::Unconditional},
                           {0, 1, 2},
                           {ModuleKind::Self}},
                .maxCaptures = most,
                .maxBytes = 0,
                .source = {.kernel = "fav2", .model = "demo", .settings = "{}"}};
    }
    /// fav2's calls with what captures them.
    struct Capturing {
        explicit Capturing(CaptureOptions options) : observer(std::move(options)) {
            dispatcher->observe(observer);
        }
        CaptureObserver observer;
        std::unique_ptr<attention::Dispatcher> dispatcher = attention::makeDispatcher("fav2").value();
    };
    /// A render's calls: self- and cross-attention in every layer, with other keys in the other branch.
    static void render(attention::Dispatcher& dispatcher, int steps = kSteps) {
        at::manual_seed(3);
        for (int step = 0; step < steps; ++step)
            for (const auto branch : {GuidanceBranch::Conditional, GuidanceBranch::Unconditional}) {
                dispatcher.beginPass(step, branch);
                callPass(dispatcher, branch);
            }
    }
    static void callPass(attention::Dispatcher& dispatcher, GuidanceBranch branch) {
        for (int layer = 0; layer < kLayers; ++layer) {
            dispatcher.attend(inputsOf(at::kFloat, 20, 20), {ModuleKind::Self, layer});
            const std::int64_t keys = branch == GuidanceBranch::Conditional ? 7 : 5;
            dispatcher.attend(inputsOf(at::kFloat, 20, keys), {ModuleKind::Cross, layer});
        }
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        if (fs::exists(m_folder / "captures"))
            for (const auto& file : fs::directory_iterator(m_folder / "captures"))
                found.push_back(file.path().filename().string());
        std::ranges::sort(found);
        return found;
    }
    [[nodiscard]] pt::Dict metadata() const {
        return *pt::readPt(m_folder / "captures/fav2_metadata.pt").value().as<pt::Dict>();
    }
    static std::int64_t integer(const pt::Dict& dict, const char* key) {
        return *dict.find(key)->as<std::int64_t>();
    }
};

TEST_F(CaptureObserverTest, SavesWhatACallWasGivenAndChangesNothing) {
    Capturing capturing(options(0));
    const auto plain = attention::makeDispatcher("fav2").value();
    at::manual_seed(5);
    const attention::Inputs in = inputsOf(at::kBFloat16, 20, 9);
    for (auto* each : {capturing.dispatcher.get(), plain.get()})
        each->beginPass(2, GuidanceBranch::Unconditional);
    const at::Tensor out = capturing.dispatcher->attend(in, {ModuleKind::Self, 1});
    EXPECT_TRUE(at::equal(out, plain->attend(in, {ModuleKind::Self, 1})));
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.saved, 1u);
    EXPECT_EQ(record.calls, 1u);
    EXPECT_EQ(record.why, "");

    EXPECT_THAT(names(), testing::ElementsAre("fav2_input_000000.pt", "fav2_metadata.pt"));
    EXPECT_EQ(record.bytes, fs::file_size(m_folder / "captures/fav2_input_000000.pt"));
    const CapturedCall call = readCapture(m_folder / "captures/fav2_input_000000.pt").value();
    EXPECT_TRUE(at::equal(call.q_BHND, in.q_BHND));
    EXPECT_TRUE(at::equal(call.k_BHMD, in.k_BHMD));
    EXPECT_TRUE(at::equal(call.v_BHMD, in.v_BHMD));
    EXPECT_EQ(call.q_BHND.strides(), in.q_BHND.strides());  // [B, N, H, D] in memory
    EXPECT_EQ(call.q_BHND.scalar_type(), at::kBFloat16);
    EXPECT_FALSE(call.keyBias_M.defined());
    EXPECT_EQ(call.callIndex, 0);
    EXPECT_EQ(call.layer, 1);
    EXPECT_EQ(call.step, 2);
    EXPECT_EQ(call.branch, "unconditional");
    EXPECT_EQ(call.kernel, "fav2");
    EXPECT_EQ(call.mask, kernels::Mask::None);
    EXPECT_DOUBLE_EQ(call.scale.value(), 0.125);
}

TEST_F(CaptureObserverTest, PartsOfOneTensorAreSavedWithoutTheRest) {
    Capturing capturing(options(0));
    const at::Tensor qkv = at::randn({1, 20, 3 * 3 * kHeadDim});
    const auto parts = qkv.chunk(3, -1);
    const auto heads = [](const at::Tensor& x) { return x.unflatten(-1, {3, -1}).transpose(1, 2); };
    capturing.dispatcher->beginPass(0, GuidanceBranch::Conditional);
    capturing.dispatcher->attend({heads(parts[0]), heads(parts[1]), heads(parts[2]), {}},
                                 {ModuleKind::Self, 0});
    const auto record = capturing.observer.finish();
    EXPECT_LT(record.bytes, qkv.nbytes() * 3 / 2);
    const CapturedCall call = readCapture(m_folder / "captures/fav2_input_000000.pt").value();
    EXPECT_TRUE(at::equal(call.v_BHMD, heads(parts[2])));
    EXPECT_TRUE(call.v_BHMD.transpose(1, 2).is_contiguous());
}

TEST_F(CaptureObserverTest, KeepsTheKeyBiasOfCrossAttentionWhenThatIsAskedFor) {
    CaptureOptions chosen = options(0);
    chosen.extent.kinds = {ModuleKind::Cross};
    Capturing capturing(chosen);
    attention::Inputs in = inputsOf(at::kFloat, 20, 7);
    in.keyBias_M = at::arange(7, at::kFloat);
    capturing.dispatcher->beginPass(0, GuidanceBranch::Conditional);
    capturing.dispatcher->attend(inputsOf(at::kFloat, 20, 20), {ModuleKind::Self, 0});
    capturing.dispatcher->attend(in, {ModuleKind::Cross, 0});
    EXPECT_EQ(capturing.observer.finish().saved, 1u);
    const CapturedCall call = readCapture(m_folder / "captures/fav2_input_000001.pt").value();
    ASSERT_TRUE(call.keyBias_M.defined());
    EXPECT_TRUE(at::equal(call.keyBias_M, in.keyBias_M));
}

TEST_F(CaptureObserverTest, CountsEveryCallAndSaysSoInTheMetadata) {
    Capturing capturing(options(5));
    render(*capturing.dispatcher);
    const auto record = capturing.observer.finish();
    std::uint64_t calls = 0;
    for (const auto& call : capturing.dispatcher->records()) calls += call.calls;
    EXPECT_EQ(record.saved, 5u);
    EXPECT_EQ(record.calls, calls);
    EXPECT_EQ(record.kernel, "fav2");
    EXPECT_EQ(record.metadataSha256, sha256OfFile(m_folder / "captures/fav2_metadata.pt").value());

    const pt::Dict content = metadata();
    EXPECT_EQ(integer(content, "total_calls"), 48);
    EXPECT_EQ(integer(content, "saved_count"), 5);
    EXPECT_EQ(integer(content, "max_captures"), 5);
    EXPECT_EQ(*content.find("kernel_name")->as<std::string>(), "fav2");
    EXPECT_TRUE(*content.find("render_finished")->as<bool>());
    EXPECT_EQ(content.find("shape_history")->as<pt::List>()->items.size(), 48u);
    const auto* shapes = content.find("captured_shapes")->as<pt::Dict>();
    EXPECT_EQ(shapes->entries.size(), 3u);
    const auto* self =
        shapes->find("((1, 3, 20, 64), (1, 3, 20, 64), (1, 3, 20, 64), 'torch.float32')")->as<pt::List>();
    ASSERT_EQ(self->items.size(), 24u);
    EXPECT_EQ(*self->items[1].as<std::int64_t>(), 2);

    const auto files = captureFiles(m_folder / "captures").value();
    ASSERT_EQ(files.size(), 5u);
    EXPECT_EQ(readCapture(files.front())->step, 0);
    EXPECT_EQ(readCapture(files.back())->step, kSteps - 1);
}

TEST_F(CaptureObserverTest, FurtherRepetitionsAreNeitherSavedNorCounted) {
    Capturing capturing(options(0));
    render(*capturing.dispatcher, 1);
    capturing.observer.stop();
    render(*capturing.dispatcher, 1);
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.saved, 6u);
    EXPECT_EQ(record.calls, 12u);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(*metadata().find("max_captures")));
}

TEST_F(CaptureObserverTest, ABudgetIsSpreadOverTheRenderToo) {
    CaptureOptions chosen = options(0);
    constexpr std::uint64_t kCallBytes = 3 * 20 * 3 * kHeadDim * 4;
    chosen.maxBytes = 4 * kCallBytes + 100;
    Capturing capturing(chosen);
    render(*capturing.dispatcher);
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.saved, 4u);
    EXPECT_THAT(record.why, AllOf(HasSubstr("--max-capture-gib"), HasSubstr("room for 4 of 24 calls")));
    const auto files = captureFiles(m_folder / "captures").value();
    EXPECT_EQ(readCapture(files.back())->step, kSteps - 1);
    EXPECT_EQ(*metadata().find("why_fewer")->as<std::string>(), record.why);
}

TEST_F(CaptureObserverTest, ABudgetBelowOneCallSavesNone) {
    CaptureOptions chosen = options(3);
    chosen.maxBytes = 1000;
    Capturing capturing(chosen);
    render(*capturing.dispatcher);
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.saved, 0u);
    EXPECT_EQ(record.calls, 48u);
    EXPECT_THAT(record.why, HasSubstr("room for 0 of 3 calls"));
}

TEST_F(CaptureObserverTest, AFailureToWriteStopsTheSavingAlone) {
    fs::create_directories(m_folder);
    ASSERT_TRUE(writeFile(m_folder / "captures", "a file where the folder should be"));
    Capturing capturing(options(0));
    render(*capturing.dispatcher);
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.saved, 0u);
    EXPECT_EQ(record.calls, 48u);
    EXPECT_THAT(record.why, AllOf(HasSubstr("saving stopped"), HasSubstr("captures")));
    EXPECT_THAT(record.why, testing::Not(HasSubstr(";"))) << "one reason";
    EXPECT_EQ(record.metadataSha256, "");
}

TEST_F(CaptureObserverTest, ARenderThatWasGivenUpLeavesWhatItSaved) {
    {
        Capturing capturing(options(0));
        render(*capturing.dispatcher, 1);
    }
    EXPECT_EQ(names().size(), 7u);
    EXPECT_FALSE(*metadata().find("render_finished")->as<bool>());
    EXPECT_EQ(integer(metadata(), "saved_count"), 6);
    fs::remove_all(m_folder);
    { const Capturing capturing(options(0)); }
    EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(CaptureObserverTest, EarlierCapturesMakeRoomAndOtherFilesStay) {
    const fs::path folder = m_folder / "captures";
    const auto fill = [&] {
        for (const char* name : {"fav2_input_000999.pt", "fav2_input_7.pt", "fav2_metadata.pt",
                                 "sagev1_input_000001.pt", "sagev1_metadata.pt", "notes.txt", "weights.pt"})
            ASSERT_TRUE(writeFile(folder / name, "x"));
    };
    fill();
    Capturing shared(options(1));
    render(*shared.dispatcher);
    EXPECT_EQ(shared.observer.finish().saved, 1u);
    EXPECT_THAT(names(),
                testing::ElementsAre(testing::StartsWith("fav2_input_0000"), "fav2_metadata.pt", "notes.txt",
                                     "sagev1_input_000001.pt", "sagev1_metadata.pt", "weights.pt"));
    fill();
    CaptureOptions own = options(1);
    own.kind = CaptureOptions::Folder::OfOneClip;
    Capturing alone(own);
    render(*alone.dispatcher);
    EXPECT_EQ(alone.observer.finish().saved, 1u);
    EXPECT_THAT(names(), testing::ElementsAre(testing::StartsWith("fav2_input_0000"), "fav2_metadata.pt",
                                              "notes.txt", "weights.pt"));
}

TEST_F(CaptureObserverTest, RanksHaveFilesOfTheirOwn) {
    CaptureOptions chosen = options(1);
    chosen.source.rank = 1;
    chosen.source.ranks = 2;
    Capturing capturing(chosen);
    render(*capturing.dispatcher);
    const auto record = capturing.observer.finish();
    EXPECT_EQ(record.kernel, "fav2_rank1");
    EXPECT_EQ(record.rank, 1);
    EXPECT_THAT(names(),
                testing::ElementsAre(testing::StartsWith("fav2_rank1_input_0000"), "fav2_rank1_metadata.pt"));
}

/// As GraphedPasses does it: a pass that is not replayed is called twice, the second time only to be
/// recorded.
TEST_F(CaptureObserverTest, ReplayedPassesAreCountedWithTheShapesThatTheyWereRecordedWith) {
    Capturing capturing(options(2));
    attention::Dispatcher& dispatcher = *capturing.dispatcher;
    std::map<GuidanceBranch, std::vector<attention::RecordedCall>> recorded;
    int replayed = 0;
    for (int step = 0; step < kSteps; ++step)
        for (const auto branch : {GuidanceBranch::Conditional, GuidanceBranch::Unconditional}) {
            dispatcher.beginPass(step, branch);
            if (dispatcher.replayOfPass() == Replay::Refused) {
                callPass(dispatcher, branch);
            } else if (recorded.contains(branch)) {
                dispatcher.replayed(recorded[branch]);
                ++replayed;
            } else {
                callPass(dispatcher, branch);
                recorded[branch] = dispatcher.record([&] { callPass(dispatcher, branch); });
            }
        }
    const auto record = capturing.observer.finish();
    EXPECT_EQ(replayed, 4);
    EXPECT_EQ(record.saved, 2u);
    EXPECT_EQ(record.calls, 48u);
    std::uint64_t calls = 0;
    for (const auto& call : capturing.dispatcher->records()) calls += call.calls;
    EXPECT_EQ(calls, 48u);
    const auto* shapes = metadata().find("captured_shapes");
    ASSERT_NE(shapes, nullptr);
    std::vector<std::size_t> counts;
    const pt::Dict content = metadata();
    for (const pt::Entry& entry : content.find("captured_shapes")->as<pt::Dict>()->entries)
        counts.push_back(entry.value.as<pt::List>()->items.size());
    EXPECT_THAT(counts, testing::ElementsAre(24, 12, 12));
    const auto files = captureFiles(m_folder / "captures").value();
    for (const fs::path& file : files) {
        const CapturedCall call = readCapture(file).value();
        const bool unconditional = call.branch == "unconditional";
        EXPECT_EQ(call.callIndex, ((*call.step * 2 + unconditional) * kLayers + *call.layer) * 2);
    }
}

}  // namespace
}  // namespace reelgrid::capture
