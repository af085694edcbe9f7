#include "core/session/session.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <nlohmann/json.hpp>

#include "core/protocol/render_fields.h"
#include "core/session/limits.h"
#include "core/session/session_json.h"
#include "core/session/unsaved_work.h"
#include "tests/protocol/random_values.h"
#include "tests/session/session_folder.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Session twoClips(const fs::path& folder) {
    Session session;
    session.clips = {{folder / "results/a.mp4", "sdpa", "sdpa", 0},
                     {"/elsewhere/b.mp4", "sagev1 ✓", "sagev1", -0.25}};
    session.columns = 2;
    session.loop = LoopRange{0.5, 1.5};
    session.playheadSeconds = 0.75;
    session.request.prompt = "a red car";
    session.request.height = 144;
    session.request.attentionPolicy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{-2, -1}}};
    session.request.output = "/somewhere/out.mp4";
    session.request.saveInputs = true;
    session.request.inputDir = "/somewhere/captures";
    session.request.profileOutput = "/somewhere/traces/";
    return session;
}

TEST(Session, SurvivesARoundTrip) {
    const SessionFolder folder;
    const fs::path file = folder.path() / "session.json";
    const auto saved = saveSession(twoClips(folder.path()), file);
    ASSERT_TRUE(saved) << saved.error().message;
    const auto loaded = loadSession(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const Session& session = loaded->session;
    ASSERT_EQ(session.clips.size(), 2u);
    EXPECT_EQ(session.clips[0].path, folder.path() / "results/a.mp4");
    EXPECT_EQ(session.clips[1].label, "sagev1 ✓");
    EXPECT_EQ(session.clips[1].attentionType, "sagev1");
    EXPECT_EQ(session.clips[1].offsetSeconds, -0.25);
    EXPECT_EQ(session.columns, 2);
    ASSERT_TRUE(session.loop);
    EXPECT_EQ(session.loop->outSeconds, 1.5);
    EXPECT_EQ(session.playheadSeconds, 0.75);
    EXPECT_EQ(session.request.prompt, "a red car");
    EXPECT_EQ(session.request.height, 144);
    EXPECT_EQ(session.request.attentionPolicy, twoClips(folder.path()).request.attentionPolicy);
    EXPECT_THAT(loaded->outside, ElementsAre(fs::path("/elsewhere/b.mp4")));
}

TEST(Session, KeepsViewChartsAndVotes) {
    const SessionFolder folder;
    Session session = twoClips(folder.path());
    session.clips.push_back({folder.path() / "results/c.mp4", "c", "", 0});
    session.view.emplace();
    session.view->solo = 1;
    session.charts = {"psnr", "steps"};
    const fs::path a = session.clips[0].path;
    const fs::path c = session.clips[2].path;
    session.blindVotes = {{c, a, Preference::First},
                          {a, c, Preference::Neither, std::string(64, '1'), std::string(64, 'f')},
                          {a, "/not/among/them.mp4", Preference::Second}};
    const fs::path file = folder.path() / "session.json";
    ASSERT_TRUE(saveSession(session, file));
    const auto loaded = loadSession(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->session.view, session.view);
    EXPECT_EQ(loaded->session.charts, session.charts);
    session.blindVotes.pop_back();
    EXPECT_EQ(loaded->session.blindVotes, session.blindVotes);
}

TEST(Session, RefusesAVoteAboutAClipThatItHasNot) {
    const SessionFolder folder;
    const auto loaded = loadSession(folder.write("session.json", R"({"reelgrid_session": 1,
        "clips": [{"path": "a.mp4"}, {"path": "b.mp4"}],
        "blind_votes": [{"first": 0, "second": 2, "preferred": "first"}]})"));
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, HasSubstr("blind vote 1: clips 0 and 2: two of 0 to 1 were needed"));
    const auto other = loadSession(folder.write("other.json", R"({"reelgrid_session": 1,
        "clips": [{"path": "a.mp4"}, {"path": "b.mp4"}],
        "blind_votes": [{"first": 0, "second": 1, "preferred": "both"}]})"));
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("first, second or neither was needed"));
}

TEST(Session, RefusesAVoteWhoseClipsHaveNoHashes) {
    const SessionFolder folder;
    const auto refusal = [&](const std::string& hashes) {
        const auto loaded = loadSession(folder.write("session.json", R"({"reelgrid_session": 1,
            "clips": [{"path": "a.mp4"}, {"path": "b.mp4"}],
            "blind_votes": [{"first": 0, "second": 1, "preferred": "first", )" +
                                                                         hashes + "}]}"));
        EXPECT_FALSE(loaded) << hashes;
        return loaded ? std::string() : loaded.error().message;
    };
    EXPECT_THAT(refusal(R"("first_sha256": "5d")"),
                HasSubstr("blind vote 1: first_sha256 \"5d\": 64 hex digits in lower case were needed"));
    EXPECT_THAT(refusal(R"("second_sha256": ")" + std::string(64, 'A') + '"'),
                HasSubstr("blind vote 1: second_sha256 \"AAA"));
    EXPECT_THAT(refusal(R"("second_sha256": 7)"),
                HasSubstr("blind vote 1: second_sha256 7: text was needed"));
}

TEST(UnsavedWork, SurvivesARoundTripWithItsFile) {
    const SessionFolder folder;
    const UnsavedWork work{twoClips(folder.path()), folder.path() / "session.json", LeftBy::Closing};
    const fs::path file = folder.path() / "unsaved/1.json";
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(saveUnsavedWork(work, file));
    const auto loaded = loadUnsavedWork(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->file, work.file);
    EXPECT_EQ(loaded->leftBy, LeftBy::Closing);
    ASSERT_EQ(loaded->session.clips.size(), 2u);
    EXPECT_EQ(loaded->session.clips[0].path, work.session.clips[0].path);
    folder.write("unsaved/2.json", "{\"file\": \"x\"}");
    EXPECT_FALSE(loadUnsavedWork(folder.path() / "unsaved/2.json"));
}

TEST(Session, ChoosesNoFilesToWriteWhoeverWroteIt) {
    const SessionFolder folder;
    const fs::path file = folder.path() / "session.json";
    ASSERT_TRUE(saveSession(twoClips(folder.path()), file));
    folder.write("session.json", R"({"reelgrid_session": 1, "clips": [], "request": {"prompt": "x",
        "output": "/somewhere/out.mp4", "save_inputs": true, "input_dir": "/somewhere/captures",
        "profile_output": "/somewhere/traces/"}})");
    const auto loaded = loadSession(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const protocol::RenderRequest& request = loaded->session.request;
    EXPECT_TRUE(request.output.empty());
    EXPECT_FALSE(request.saveInputs);
    EXPECT_TRUE(request.inputDir.empty());
    EXPECT_FALSE(request.profileOutput);
}

TEST(Session, MovesWithItsFolder) {
    const SessionFolder first;
    const SessionFolder second;
    ASSERT_TRUE(saveSession(twoClips(first.path()), first.path() / "session.json"));
    fs::rename(first.path() / "session.json", second.path() / "session.json");
    const auto loaded = loadSession(second.path() / "session.json");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->session.clips[0].path, second.path() / "results/a.mp4");
}

TEST(Session, NamesTheRequestsPicturesAsItsClips) {
    const SessionFolder folder;
    Session session = twoClips(folder.path());
    session.request.imgFilePath = (folder.path() / "pictures/first.png").string();
    session.request.lastImgFilePath = "/elsewhere/last.webp";
    const nlohmann::json written = toJson(session, folder.path());
    EXPECT_EQ(written["request"]["img_file_path"], "pictures/first.png");
    EXPECT_EQ(written["request"]["last_img_file_path"], "/elsewhere/last.webp");
    const auto moved = sessionFromJson(written, "/moved");
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ(moved->session.request.imgFilePath, "/moved/pictures/first.png");
    EXPECT_EQ(moved->session.request.lastImgFilePath, "/elsewhere/last.webp");
    nlohmann::json leaving = written;
    leaving["request"]["img_file_path"] = "../secret.png";
    EXPECT_THAT(sessionFromJson(leaving, "/moved").error().message,
                HasSubstr("path ../secret.png leaves the session's folder"));
}

TEST(Session, DoesNotChooseWhereARenderWrites) {
    const SessionFolder folder;
    const fs::path file = folder.write(
        "s.json", R"({"reelgrid_session":1,"clips":[],"request":{"output":"/home/me/precious.mp4"}})");
    const auto loaded = loadSession(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded->session.request.output.empty());
}

TEST(Session, ReportsAMissingFile) {
    const auto loaded = loadSession("/nowhere/session.json");
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::NotFound);
}

TEST(Session, AFailedSaveLeavesTheOldOne) {
    const SessionFolder folder;
    const fs::path file = folder.path() / "session.json";
    ASSERT_TRUE(saveSession(twoClips(folder.path()), file));
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit fullDisk{100, 100};
        setrlimit(RLIMIT_FSIZE, &fullDisk);
        _exit(saveSession(twoClips(folder.path()), file) ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    EXPECT_TRUE(loadSession(file));
}

TEST(Session, WhatEarlierVersionsCarriedAlongIsNoHindrance) {
    const SessionFolder folder;
    const auto loaded = loadSession(folder.write(
        "s.json",
        R"({"reelgrid_session":1,"clips":[{"path":"a.mp4"}],"measurements":{"note":[1,{"a":null}]}})"));
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->session.clips.size(), 1U);
}

struct BadSession {
    const char* text;
    const char* says;
};

class RejectsSession : public testing::TestWithParam<BadSession> {};

TEST_P(RejectsSession, SayingWhatIsWrong) {
    const SessionFolder folder;
    const fs::path file = folder.write("s.json", GetParam().text);
    const auto loaded = loadSession(file);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(loaded.error().message, HasSubstr(file.string()));
    EXPECT_THAT(loaded.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, RejectsSession,
    testing::Values(
        BadSession{"", "not JSON"}, BadSession{"[]", "not a ReelGrid session"},
        BadSession{"{}", "not a ReelGrid session"},
        BadSession{R"({"reelgrid_session":2,"clips":[]})", "session version 2"},
        BadSession{R"({"reelgrid_session":"1","clips":[]})", "reelgrid_session \"1\""},
        BadSession{R"({"reelgrid_session":1})", "clips is missing"},
        BadSession{R"({"reelgrid_session":1,"clips":[{"label":"a"}]})", "clip 1: path is missing"},
        BadSession{R"({"reelgrid_session":1,"clips":[{"path":"../../etc/passwd"}]})",
                   "leaves the session's folder"},
        BadSession{R"({"reelgrid_session":1,"clips":[{"path":"a","offset_seconds":1e300}]})",
                   "offset_seconds"},
        BadSession{R"({"reelgrid_session":1,"clips":[],"columns":65})", "columns 65"},
        BadSession{R"({"reelgrid_session":1,"clips":[],"columns":-1})", "columns -1"},
        BadSession{R"({"reelgrid_session":1,"clips":[],"playhead_seconds":-3})", "playhead_seconds -3"},
        BadSession{R"({"reelgrid_session":1,"clips":[],"loop":{"in_seconds":2,"out_seconds":1}})",
                   "in_seconds 2"},
        BadSession{R"({"reelgrid_session":1,"clips":[],"request":{"height":"tall"}})", "height \"tall\""},
        BadSession{R"({"reelgrid_session":1,"clips":[],"request":{"attention_policy":{"rules":[{}]}}})",
                   "attention_policy: rule 1: backend is missing"}));

TEST(Session, BoundsTheNumberOfClips) {
    const SessionFolder folder;
    std::string text = R"({"reelgrid_session":1,"clips":[{"path":"a"})";
    for (int i = 0; i < 256; ++i) text += R"(,{"path":"a"})";
    const auto loaded = loadSession(folder.write("s.json", text + "]}"));
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, HasSubstr("257 entries"));
}

/// A session with everything that one can have, at random.
Session randomSession(protocol::RandomValues& random, const fs::path& folder) {
    Session session;
    for (int count = random.integer(0, 5); count > 0; --count) {
        const std::string name =
            "clip " + std::to_string(count) + random.oneOf<std::string>({".mp4", " é\".webm", "\\.gif"});
        session.clips.push_back({random.coin() ? folder / "results" / name : fs::path("/elsewhere") / name,
                                 random.text(1000), random.text(1000),
                                 random.number(-kMaxSeconds, kMaxSeconds)});
    }
    session.columns = random.integer(0, kMaxColumns);
    session.playheadSeconds = random.number(0, kMaxSeconds);
    if (random.coin()) {
        const double a = random.number(0, kMaxSeconds), b = random.number(0, kMaxSeconds);
        session.loop = LoopRange{std::min(a, b), std::max(a, b)};
    }
    session.request = random.request();
    // What a session doesn't keep, and pictures that are names of files.
    session.request.output.clear();
    session.request.resume = false;
    protocol::forgetFilesToWrite(session.request);
    for (auto* picture : {&session.request.imgFilePath, &session.request.lastImgFilePath})
        if (*picture) *picture = (random.coin() ? folder / "a.png" : fs::path("/pictures/b.png")).string();
    session.charts = {random.text(100), random.text(100)};
    if (session.clips.size() > 1)
        session.blindVotes.push_back(
            {session.clips[0].path, session.clips[1].path,
             random.oneOf<Preference>({Preference::First, Preference::Second, Preference::Neither})});
    return session;
}

TEST(SessionAtRandom, IsReadAsItWasWritten) {
    const SessionFolder folder;
    const fs::path file = folder.path() / "session.json";
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        protocol::RandomValues random(seed);
        const Session session = randomSession(random, folder.path());
        ASSERT_TRUE(saveSession(session, file));
        const auto loaded = loadSession(file);
        ASSERT_TRUE(loaded) << "seed " << seed << ": " << loaded.error().message;
        ASSERT_EQ(toJson(loaded->session, folder.path()), toJson(session, folder.path())) << "seed " << seed;
        ASSERT_EQ(loaded->session.request, session.request) << "seed " << seed;
        ASSERT_EQ(loaded->session.blindVotes, session.blindVotes) << "seed " << seed;
        ASSERT_EQ(loaded->session.loop, session.loop) << "seed " << seed;
    }
}

}  // namespace
}  // namespace reelgrid::session
