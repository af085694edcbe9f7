// What goes between machines, without one.
#include <gmock/gmock.h>

#include <fstream>

#include "core/base/sha256.h"
#include "core/fleet/arriving_result.h"
#include "core/fleet/channel.h"
#include "core/fleet/file_transfer.h"
#include "core/fleet/host.h"
#include "core/fleet/request_files.h"
#include "core/protocol/result_paths.h"
#include "tests/jobs/temporary_folder.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string textIn(const fs::path& file) {
    const auto text = readFile(file);
    return text ? *text : "(" + text.error().message + ")";
}

TEST(HostName, IsReadWithItsChoices) {
    const auto host =
        hostNamed("ssh://me@gpu03:2222?device=cuda:0,cuda:1&lanes=2&program=/opt/a b/reelgrid-cli");
    ASSERT_TRUE(host) << host.error().message;
    EXPECT_EQ(host->name(), "ssh://me@gpu03:2222");
    EXPECT_EQ(host->lanes, 2);
    EXPECT_THAT(host->devices, ElementsAre("cuda:0", "cuda:1"));
    const HostCommand command = commandOn(*host, {"worker", "--remote"});
    EXPECT_EQ(command.program, "ssh");
    EXPECT_THAT(command.arguments, testing::Contains("BatchMode=yes"));
    EXPECT_THAT(command.arguments, testing::IsSupersetOf({"-p", "2222", "--", "me@gpu03"}));
    EXPECT_EQ(command.arguments.back(), "exec '/opt/a b/reelgrid-cli' 'worker' '--remote'");
    EXPECT_EQ(hostNamed("ssh://[fe80::1]:22").value().target, "fe80::1");

    const auto slurm = hostNamed("slurm:gpu?gpus=1&time=2:00:00");
    ASSERT_TRUE(slurm) << slurm.error().message;
    const HostCommand srun = commandOn(*slurm, {"worker"});
    EXPECT_EQ(srun.program, "srun");
    EXPECT_THAT(srun.arguments, testing::IsSupersetOf({"--partition=gpu", "--gpus=1", "--time=2:00:00"}));
    EXPECT_THAT(hostNamed("here?device=cpu").value().devices, ElementsAre("cpu"));
}

TEST(HostName, IsRefusedWithWhatWasNeeded) {
    for (const auto& [text, needed] :
         {std::pair{"gpu03", "here, ssh://user@host or slurm:partition was needed"},
          {"ssh://-oProxyCommand=x", "a host's name was needed"},
          {"ssh://a b", "a host's name was needed"},
          {"ssh://-x@a", "a user's name was needed"},
          {"ssh://a:0", "a port from 1 to 65535 was needed"},
          {"ssh://a?gpus=1", "gpus: device, lanes or program was needed"},
          {"ssh://a?lanes=0", "lanes=0: a number from 1 to 64 was needed"},
          {"ssh://a?device=gpu", "device=gpu: cpu, cuda or cuda:N was needed"},
          {"slurm:-x", "a partition's name was needed"},
          {"slurm:a?time=", "time: a value was needed"},
          {"here?program=/bin/x", "program: device or lanes was needed"}}) {
        const auto host = hostNamed(text);
        ASSERT_FALSE(host) << text;
        EXPECT_EQ(host.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(host.error().message, HasSubstr(needed));
    }
}

TEST(Channel, ReadsWhatItWrites) {
    const auto read =
        channelMessageFrom(toLine(ModelDescribed{"n", "/m", "wan2.1", 7, {{"vae", std::string(64, 'a')}}}));
    ASSERT_TRUE(read) << read.error().message;
    const auto& model = std::get<ModelDescribed>(**read);
    EXPECT_EQ(model.folder, "/m");
    EXPECT_EQ(model.bytes, 7U);
    EXPECT_EQ(model.hashes.at("vae"), std::string(64, 'a'));
    const auto piece = channelMessageFrom(toLine(FilePiece{{0, 255, 10}}));
    EXPECT_THAT(std::get<FilePiece>(**piece).bytes, ElementsAre(0, 255, 10));
    EXPECT_FALSE(channelMessageFrom(R"({"v":1,"type":"quit"})").value().has_value())
        << "the worker protocol's";
    EXPECT_FALSE(channelMessageFrom(R"({"v":2,"type":"file"})"));
    EXPECT_FALSE(channelMessageFrom(R"({"v":1,"type":"piece","bytes":"?"})"));
    for (const char* name : {"../x", "/x", "a/../b", ".x", "a/.b", ""}) {
        EXPECT_FALSE(isSafeName(name)) << name;
        EXPECT_FALSE(channelMessageFrom(toLine(FileBegins{name, 1, std::string(64, 'a')}))) << name;
    }
    EXPECT_TRUE(isSafeName("ab/c.png"));
}

/// A clip and its manifest, as another machine sends them.
class ArrivingResultTest : public testing::Test {
  protected:
    jobs::TemporaryFolder m_folder;
    fs::path m_clip = m_folder.path() / "a.mp4";
    fs::path m_manifest = m_folder.path() / "a.files" / "manifest.json";

    ArrivingResult create() {
        protocol::RenderRequest request;
        request.output = m_clip.string();
        request.imgFilePath = "/here/cat.png";
        return ArrivingResult::create(request, "ssh://b").value();
    }
    static Result<void> bring(ArrivingResult& result, const std::string& name, const std::string& text,
                              const std::string& sent) {
        const std::vector<std::uint8_t> whole(text.begin(), text.end()), bytes(sent.begin(), sent.end());
        auto begun = result.begin({name, whole.size(), sha256Hex(whole)});
        return begun ? result.add(bytes) : begun;
    }
};

TEST_F(ArrivingResultTest, TakesItsPlaceWhole) {
    ArrivingResult result = create();
    ASSERT_TRUE(bring(result, "files/manifest.json", R"({"settings":{"img_file_path":"/tmp/x"},"kept":1})",
                      R"({"settings":{"img_file_path":"/tmp/x"},"kept":1})"));
    EXPECT_FALSE(result.commit()) << "there is no clip";
    ASSERT_TRUE(bring(result, "clip", "frames", "frames"));
    EXPECT_FALSE(fs::exists(m_clip));
    ASSERT_TRUE(result.commit());
    EXPECT_EQ(textIn(m_clip), "frames");
    EXPECT_THAT(textIn(m_manifest), HasSubstr(R"("machine": "ssh://b")"));
    EXPECT_THAT(textIn(m_manifest), testing::Not(HasSubstr("/tmp/x")));
    EXPECT_THAT(textIn(m_manifest), HasSubstr(R"("kept": 1)"));
}

TEST_F(ArrivingResultTest, LeavesTheEarlierOneWhereItDoesNotArrive) {
    std::ofstream(m_clip) << "earlier";
    {
        ArrivingResult result = create();
        const auto changed = bring(result, "clip", "frames", "frame$");
        ASSERT_FALSE(changed);
        EXPECT_THAT(changed.error().message, HasSubstr("it came with the SHA-256"));
        EXPECT_FALSE(bring(result, "clip", "frames", "frames and more"));
        EXPECT_FALSE(result.commit());
    }
    {
        ArrivingResult result = create();
        ASSERT_TRUE(bring(result, "clip", "frames", "fra"));
        EXPECT_FALSE(result.commit());
        EXPECT_FALSE(result.begin({"elsewhere", 1, std::string(64, 'a')}));
    }
    EXPECT_EQ(textIn(m_clip), "earlier");
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(m_folder.path()))
        if (entry.path().filename().string().find("partial") != std::string::npos)
            left.push_back(entry.path().string());
    EXPECT_THAT(left, IsEmpty());
}

TEST(RequestFiles, AreThoseThatARenderReads) {
    protocol::RenderRequest request;
    request.imgFilePath = "/p/cat.png";
    request.lora = {"/l/a.safetensors:0.5", "/l/b.safetensors"};
    request.lora2 = {"none"};
    request.vae = "org/vae";
    std::vector<std::string> seen;
    ASSERT_TRUE(forEachFile(request, [&](const std::string& key, std::string& path) -> Result<void> {
        seen.push_back(key + " " + path);
        path = "@sent/x/" + fs::path(path).filename().string();
        return {};
    }));
    EXPECT_THAT(seen,
                ElementsAre("img_file_path /p/cat.png", "lora /l/a.safetensors", "lora /l/b.safetensors"));
    EXPECT_THAT(request.lora, ElementsAre("@sent/x/a.safetensors:0.5", "@sent/x/b.safetensors"));
    EXPECT_EQ(request.vae, "org/vae");
    EXPECT_EQ(obstacleToSending(request), "");
    request.vae = fs::temp_directory_path().string();
    EXPECT_THAT(obstacleToSending(request), HasSubstr("--vae"));
    request.inputDir = "/x";
    EXPECT_THAT(obstacleToSending(request), HasSubstr("--input-dir"));
}

}  // namespace
}  // namespace reelgrid::fleet
