#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include "core/base/pending_file.h"
#include "core/hub/model_download.h"
#include "core/hub/repository.h"
#include "tests/hub/test_hub.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kShard = "transformer/diffusion_pytorch_model-00001-of-00002.safetensors";

class DownloadTest : public testing::Test {
  protected:
    TestHub m_hub;
    DownloadProgress m_last;

    static Result<std::vector<std::string>> parts(const std::string&) {
        return std::vector<std::string>{"transformer", "tokenizer", "vae"};
    }

    Result<ModelPlan> plan(const std::string& id) {
        return planModel(m_hub.access(), id, "main", parts, impatient(), {});
    }
    Result<fs::path> fetch(const std::string& id, std::stop_token stop = {}) {
        const auto planned = plan(id);
        if (!planned) return planned.error();
        return downloadModel(
            m_hub.access(), *planned, impatient(), [this](const DownloadProgress& now) { m_last = now; },
            stop);
    }
    /// The snapshot has what the hub has, and a blob of each, no half ones.
    void expectWhole(const std::string& id, const Result<fs::path>& snapshot) {
        ASSERT_TRUE(snapshot) << snapshot.error().message;
        for (const char* file : {"model_index.json", "transformer/config.json",
                                 "tokenizer/tokenizer model.json", kShard, "vae/model.safetensors"}) {
            EXPECT_TRUE(readFile(*snapshot / file).value() == m_hub.contents(id, file)) << file;
            EXPECT_TRUE(fs::is_symlink(*snapshot / file)) << file;
        }
        EXPECT_FALSE(fs::exists(*snapshot / "README.md"));
        EXPECT_FALSE(fs::exists(*snapshot / "transformer/diffusion_pytorch_model.fp16.safetensors"));
        for (const auto& blob :
             fs::directory_iterator(Repository(m_hub.access().cache, id).folder() / "blobs"))
            EXPECT_NE(blob.path().extension(), ".incomplete") << blob.path();
        EXPECT_EQ(Repository(m_hub.access().cache, id).presentSnapshot(), *snapshot);
    }
};

TEST_F(DownloadTest, BringsWhatAModelNeedsAsHuggingFacesCacheHasIt) {
    m_hub.addModel("owner/good");
    const auto planned = plan("owner/good");
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_EQ(planned->files.size(), 6U);
    EXPECT_EQ(planned->missingBytes, planned->bytes);
    expectWhole("owner/good", fetch("owner/good"));
    EXPECT_EQ(m_last.bytes, planned->bytes);
    EXPECT_EQ(m_last.files, m_last.totalFiles);

    EXPECT_EQ(plan("owner/good")->missingBytes, 0U);
    const std::size_t before = m_hub.log().size();
    expectWhole("owner/good", fetch("owner/good"));
    EXPECT_EQ(m_hub.log().size(), before + 2);  // the list and the index
}

TEST_F(DownloadTest, BringsAFileOfARepositoryOrWhatLiesAtItsTop) {
    m_hub.addModel("owner/parts");
    const auto bring = [&](const std::string& file) -> Result<fs::path> {
        const auto planned = planPart(m_hub.access(), {"owner/parts", file}, "main", impatient(), {});
        if (!planned) return planned.error();
        return downloadModel(m_hub.access(), *planned, impatient(), [](const DownloadProgress&) {}, {});
    };
    const Repository repository(m_hub.access().cache, "owner/parts");
    ASSERT_TRUE(bring("vae/model.safetensors"));
    EXPECT_EQ(readFile(repository.presentPart("vae/model.safetensors")).value(),
              m_hub.contents("owner/parts", "vae/model.safetensors"));
    EXPECT_TRUE(repository.presentPart(kShard).empty());
    EXPECT_THAT(bring("vae/none.ckpt").error().message, HasSubstr("owner/parts: it has no vae/none.ckpt"));
    EXPECT_THAT(bring("").error().message, HasSubstr("OWNER/NAME/FILE"));
    for (const char* file : {"config.json", "diffusion_pytorch_model.safetensors", "model.fp16.safetensors"})
        ASSERT_TRUE(writeFile(m_hub.folder() / "served/owner/parts" / file, std::string("of ") + file));
    ASSERT_TRUE(bring(""));
    EXPECT_FALSE(repository.presentPart("").empty());
    EXPECT_EQ(readFile(repository.presentPart("diffusion_pytorch_model.safetensors")).value(),
              "of diffusion_pytorch_model.safetensors");
    EXPECT_TRUE(repository.presentPart("model.fp16.safetensors").empty());
}

TEST_F(DownloadTest, BringsTheFilesThatAreChosenOfARepositoryInAnotherForm) {
    const fs::path served = m_hub.folder() / "served/owner/bare";
    for (const char* file : {"Wan-high.pth", "Wan-low.pth", "README.md", "assets/picture.pth"})
        ASSERT_TRUE(writeFile(served / file, std::string("of ") + file));
    std::vector<std::string> offered;
    const auto choose = [&](const std::vector<std::string>& all) {
        offered = all;
        return std::vector<std::string>{"Wan-low.pth", "Wan-high.pth", "no such file"};
    };
    const auto planned = planFiles(m_hub.access(), "owner/bare", "main", choose, "weights", impatient(), {});
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_EQ(planned->files.size(), 2U);
    EXPECT_THAT(offered, testing::UnorderedElementsAre("Wan-high.pth", "Wan-low.pth", "README.md",
                                                       "assets/picture.pth"));
    const auto snapshot = downloadModel(m_hub.access(), *planned, impatient(), [](const auto&) {}, {});
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    EXPECT_EQ(readFile(*snapshot / "Wan-low.pth").value(), "of Wan-low.pth");
    EXPECT_FALSE(fs::exists(*snapshot / "README.md"));
    const auto none =
        planFiles(m_hub.access(), "owner/bare", "main",
                  [](const auto&) { return std::vector<std::string>{}; }, "weights", impatient(), {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(none.error().message, "model owner/bare: it has no weights");
}

TEST_F(DownloadTest, TheTokenGoesToTheEndpointAlone) {
    m_hub.addModel("owner/private");
    expectWhole("owner/private", fetch("owner/private"));
    int redirected = 0;
    for (const auto& request : m_hub.log()) {
        const bool isElsewhere = request["host"] == "localhost";
        EXPECT_EQ(request["token"], isElsewhere ? "" : "Bearer secret") << request;
        redirected += isElsewhere ? 1 : 0;
    }
    EXPECT_EQ(redirected, 3);
    HubAccess stranger = m_hub.access();
    stranger.token.clear();
    const auto refused = planModel(stranger, "owner/private", "main", parts, impatient(), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("401"), HasSubstr("HF_TOKEN")));
}

TEST_F(DownloadTest, GoesOnWhereAConnectionBrokeOffOrStalled) {
    for (const char* id : {"owner/drops", "owner/stalls", "owner/trickles", "owner/norange", "owner/busy"}) {
        SCOPED_TRACE(id);
        m_hub.addModel(id);
        expectWhole(id, fetch(id));
    }
    bool resumed = false;
    for (const auto& request : m_hub.log()) resumed = resumed || request["range"] == "bytes=100000-";
    EXPECT_TRUE(resumed);
}

TEST_F(DownloadTest, AConnectionThatBringsAFairShareMayBreakAsOftenAsItLikes) {
    m_hub.addModel("owner/breaks");  // eight times within a file
    EXPECT_GT(300'000 / 40'000, impatient().tries);
    expectWhole("owner/breaks", fetch("owner/breaks"));
}

TEST_F(DownloadTest, AServerThatBringsNextToNothingIsGivenUpOn) {
    for (const char* id : {"owner/one-byte", "owner/crawls"}) {
        SCOPED_TRACE(id);
        m_hub.addModel(id);
        const auto refused = fetch(id);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::Io);
        EXPECT_THAT(refused.error().message, AllOf(HasSubstr(" of 300000 bytes after 3 tries in vain: "),
                                                   HasSubstr("goes on from here")));
    }
    std::map<std::string, int> asked;
    for (const auto& request : m_hub.log())
        if (request["host"] == "localhost") ++asked[request["path"]];
    for (const auto& [path, count] : asked) EXPECT_LE(count, impatient().tries) << path;
    EXPECT_GE(asked.size(), 2U);
}

TEST_F(DownloadTest, SaysHowManyTriesThereWereAndWhichWaitWasAskedFor) {
    m_hub.addModel("owner/asks-600");
    const auto refused = fetch("owner/asks-600");
    ASSERT_FALSE(refused);
    EXPECT_THAT(
        refused.error().message,
        HasSubstr("0 of 300000 bytes after 1 try in vain: HTTP status 429, and asks to wait 600 s; "));
    m_hub.addModel("owner/list-drops");
    const auto unlisted = plan("owner/list-drops");
    ASSERT_FALSE(unlisted);
    EXPECT_THAT(unlisted.error().message, HasSubstr(", after 3 tries"));
}

TEST_F(DownloadTest, ReadsHeadersWithoutBlanksAndInAnyCase) {
    m_hub.addModel("owner/no-blanks");
    expectWhole("owner/no-blanks", fetch("owner/no-blanks"));
    std::map<std::string, int> asked;
    for (const auto& request : m_hub.log())
        if (request["host"] == "localhost") ++asked[request["path"]];
    for (const auto& [path, count] : asked) EXPECT_EQ(count, 2) << path;
}

TEST_F(DownloadTest, WaitsAsLongAsTheServerAsksFor) {
    m_hub.addModel("owner/later");
    const auto before = std::chrono::steady_clock::now();
    EXPECT_TRUE(plan("owner/later"));
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
    m_hub.addModel("owner/next-year");
    const auto refused = plan("owner/next-year");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("429"), HasSubstr("asks to wait 30000000 s")));
    for (const char* id : {"owner/next-age", "owner/next-century"}) {
        m_hub.addModel(id);
        const auto never = plan(id);
        ASSERT_FALSE(never);
        EXPECT_THAT(never.error().message,
                    AllOf(HasSubstr("429"), HasSubstr("asks to wait for a year or longer")));
        std::size_t asked = 0;
        for (const auto& request : m_hub.log())
            asked += request["path"].get<std::string>().find(id) != std::string::npos ? 1 : 0;
        EXPECT_EQ(asked, 1U) << id;
    }
}

TEST_F(DownloadTest, PagesOfErrorsThatNeverEndAreNotReadOn) {
    m_hub.addModel("owner/endless");
    const auto refused = plan("owner/endless");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("HTTP status 500 with a page of more than 65536 bytes"));
    m_hub.addModel("owner/circling");
    EXPECT_FALSE(plan("owner/circling"));
}

TEST_F(DownloadTest, AHeadersLineThatIsTooLongIsNamedAtTheFirstTry) {
    m_hub.addModel("owner/long-line");
    const auto refused = plan("owner/long-line");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr("a line of its header is too long"), Not(HasSubstr("tries"))));
    EXPECT_EQ(m_hub.log().size(), 1U);
}

TEST_F(DownloadTest, SizesThatNoModelHasAreRefused) {
    m_hub.addModel("owner/huge");
    const auto planned = plan("owner/huge");
    ASSERT_FALSE(planned);
    EXPECT_THAT(planned.error().message, HasSubstr("its files have more than"));
}

/// Seconds of this process's own threads, whatever else the machine is doing.
double processorSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST_F(DownloadTest, NearlyAHundredThousandFilesTakeNoTimeOfTheirNumbersSquare) {
    constexpr std::size_t kMany = 99'000;
    constexpr double kMostSeconds = 12;  // 1 is usual; what goes through them all for each takes far longer
    m_hub.addModel("owner/many");
    Patience patient = impatient();
    patient.stall = std::chrono::seconds(60);  // the server writes the whole list first
    const double begin = processorSeconds();
    const auto planned = planModel(m_hub.access(), "owner/many", "main", parts, patient, {});
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_GT(planned->files.size(), kMany);
    // What is missing is found out before the first file is asked for.
    std::stop_source stopped;
    stopped.request_stop();
    const auto none = downloadModel(
        m_hub.access(), *planned, patient, [](const auto&) {}, stopped.get_token());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::Cancelled);
    const auto all = [](const std::vector<std::string>& names) {
        std::vector<std::string> chosen;
        for (const std::string& name : names)
            if (name.starts_with("transformer/")) chosen.push_back(name);
        return chosen;
    };
    const auto chosen = planFiles(m_hub.access(), "owner/many", "main", all, "weights", patient, {});
    ASSERT_TRUE(chosen) << chosen.error().message;
    EXPECT_GT(chosen->files.size(), kMany);
    EXPECT_LT(processorSeconds() - begin, kMostSeconds);
}

TEST_F(DownloadTest, WhatCameBeforeIsNotFetchedAgain) {
    m_hub.addModel("owner/good");
    const Repository repository(m_hub.access().cache, "owner/good");
    const auto planned = plan("owner/good");
    for (const RemoteFile& file : planned->files)
        if (file.path == kShard) {
            fs::create_directories(repository.blob(file.hash).parent_path());
            std::ofstream(repository.blob(file.hash + ".incomplete"), std::ios::binary)
                << m_hub.contents("owner/good", kShard).substr(0, 123456);
        }
    expectWhole("owner/good", fetch("owner/good"));
    bool resumed = false;
    for (const auto& request : m_hub.log()) resumed = resumed || request["range"] == "bytes=123456-";
    EXPECT_TRUE(resumed);
}

TEST_F(DownloadTest, AServerThatGoesOnElsewhereTakesNothingAway) {
    m_hub.addModel("owner/elsewhere");
    const Repository repository(m_hub.access().cache, "owner/elsewhere");
    const auto planned = plan("owner/elsewhere");
    fs::path partial;
    for (const RemoteFile& file : planned->files)
        if (file.path == kShard) partial = repository.blob(file.hash + ".incomplete");
    fs::create_directories(partial.parent_path());
    std::ofstream(partial, std::ios::binary) << m_hub.contents("owner/elsewhere", kShard).substr(0, 200000);
    const auto refused = fetch("owner/elsewhere");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                HasSubstr("the server sends from byte 130000, byte 200000 was asked for"));
    EXPECT_EQ(fs::file_size(partial), 200000U);
}

TEST_F(DownloadTest, TheSameContentsUnderTwoNamesAreCountedOnce) {
    m_hub.addModel("owner/twins");
    const std::uint64_t bytes = plan("owner/twins")->bytes;
    const fs::path served = m_hub.folder() / "served/owner/twins/vae";
    fs::copy_file(served / "model.safetensors", served / "diffusion_pytorch_model.safetensors");
    const auto planned = plan("owner/twins");
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_EQ(planned->files.size(), 7U);
    EXPECT_EQ(planned->bytes, bytes);
    EXPECT_EQ(planned->missingBytes, bytes);
    expectWhole("owner/twins", fetch("owner/twins"));
    EXPECT_EQ(m_last.bytes, bytes);
}

TEST_F(DownloadTest, NoRevisionLeavesTheRepository) {
    m_hub.addModel("owner/good");
    for (const char* revision : {"../../x", "", "/x"}) {
        const auto refused = planModel(m_hub.access(), "owner/good", revision, parts, impatient(), {});
        ASSERT_FALSE(refused) << revision;
        EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    }
    EXPECT_FALSE(fs::exists(m_hub.folder() / "served/log")) << "the hub isn't asked";
}

TEST_F(DownloadTest, OtherContentsAreThrownAwayAndFetchedOnceMore) {
    m_hub.addModel("owner/once-wrong");
    expectWhole("owner/once-wrong", fetch("owner/once-wrong"));
    m_hub.addModel("owner/wrong");
    const auto refused = fetch("owner/wrong");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("has the hash"), HasSubstr("was needed")));
    EXPECT_FALSE(fs::exists(Repository(m_hub.access().cache, "owner/wrong").presentSnapshot() / kShard));
}

TEST_F(DownloadTest, LiesAboutLengthsEndInALine) {
    m_hub.addModel("owner/short");
    const auto tooShort = fetch("owner/short");
    ASSERT_FALSE(tooShort);
    EXPECT_THAT(tooShort.error().message, AllOf(HasSubstr("of 300000 bytes"), HasSubstr("in vain")));
    m_hub.addModel("owner/long");
    const auto tooLong = fetch("owner/long");
    ASSERT_FALSE(tooLong);
    EXPECT_THAT(tooLong.error().message, HasSubstr("more than the 300000 bytes"));
}

TEST_F(DownloadTest, AFileThatWouldLeaveTheRepositoryIsRefused) {
    m_hub.addModel("owner/escape");
    const auto refused = fetch("owner/escape");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("evil.json"), HasSubstr("inside the repository")));
}

TEST_F(DownloadTest, SaysWhatIsNotThere) {
    const auto missing = fetch("owner/none");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    m_hub.addModel("owner/good");
    fs::remove(m_hub.folder() / "served/owner/good/model_index.json");
    const auto other = fetch("owner/good");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("no model_index.json"));
    EXPECT_FALSE(fetch("no-id"));
    HubAccess offline = m_hub.access();
    offline.offline = true;
    const auto unplugged = planModel(offline, "owner/good", "main", parts, impatient(), {});
    ASSERT_FALSE(unplugged);
    EXPECT_THAT(unplugged.error().message, HasSubstr("HF_HUB_OFFLINE"));
}

TEST_F(DownloadTest, AnotherProcessesDownloadIsLeftAlone) {
    m_hub.addModel("owner/good");
    const Repository repository(m_hub.access().cache, "owner/good");
    const auto planned = plan("owner/good");
    const fs::path lock = repository.lockOf(planned->files.front().hash);
    fs::create_directories(lock.parent_path());
    const int held = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    const auto refused = fetch("owner/good");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("another process is downloading it"));
    ::close(held);
    expectWhole("owner/good", fetch("owner/good"));
}

TEST_F(DownloadTest, AStopKeepsWhatCameAndLeavesNoModel) {
    m_hub.addModel("owner/stalls");
    std::stop_source stop;
    const std::jthread soon([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        stop.request_stop();
    });
    const auto stopped = fetch("owner/stalls", stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
    const Repository repository(m_hub.access().cache, "owner/stalls");
    EXPECT_TRUE(repository.presentSnapshot().empty());
    std::uintmax_t kept = 0;
    for (const auto& blob : fs::directory_iterator(repository.folder() / "blobs")) kept += blob.file_size();
    EXPECT_GE(kept, 100'000U);
    expectWhole("owner/stalls", fetch("owner/stalls"));
}

}  // namespace
}  // namespace reelgrid::hub
