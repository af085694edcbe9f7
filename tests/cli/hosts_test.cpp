// Renders on other machines: OpenSSH's sshd on loopback, with homes that have nothing of ours in them.
#include <gmock/gmock.h>

#include <signal.h>

#include <chrono>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/cli/loopback_hosts.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

json manifestOf(const fs::path& clip) {
    return json::parse(textOf(fs::path(clip).replace_extension(".files") / "manifest.json"));
}

/// Everything below a folder whose name begins or ends so.
std::vector<std::string> namesBelow(const fs::path& folder, const std::string& start) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename().string().starts_with(start)) names.push_back(entry.path().string());
    return names;
}

class Hosts : public testing::Test {
  protected:
    void SetUp() override {
        if (!m_hosts.obstacle().empty()) GTEST_SKIP() << m_hosts.obstacle();
    }

    std::string hostsFile(const std::string& lines) {
        std::ofstream(m_folder.file("hosts")) << "# machines\n" << lines;
        return m_folder.file("hosts");
    }
    ProgramRun compare(const std::string& folder, const std::string& types, const Words& further) {
        Words words{"compare", "--types", types,          "--num-frames",       "9", "--seed", "7", "--dtype",
                    "fp32",    "--json",  "--output-dir", m_folder.file(folder)};
        words.insert(words.end(), further.begin(), further.end());
        return runProgram(words, "", m_hosts.environment());
    }
    json resultsOf(const ProgramRun& run) {
        EXPECT_EQ(run.exitCode, 0) << run.errors;
        const json document = onlyDocument(run.output);
        return document.is_object() ? document["results"] : json::array();
    }
    /// Waits until each of the hosts has begun with a clip, and keeps it from ending before the others have
    /// begun: its worker is stopped meanwhile, and goes on with let().
    bool holdClipsOf(std::set<int> hosts) {
        for (int i = 0; i < 6000 && !hosts.empty(); ++i) {
            std::erase_if(hosts, [this](int host) {
                return hasBegun(host) && signalWorker(host, SIGSTOP) && hasBegun(host);
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return hosts.empty();
    }
    void let(int host) { signalWorker(host, SIGCONT); }

    /// Whether it is at a clip: the file is there from the beginning of a render to its end.
    [[nodiscard]] bool hasBegun(int host) const {
        std::error_code failed;
        for (auto entry = fs::recursive_directory_iterator(m_hosts.home(host), failed);
             !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed))
            if (entry->path().filename() == "unfinished.json") return true;
        return false;
    }
    /// What renders, not what serves the connection.
    bool signalWorker(int host, int number) const {
        for (const int process : m_hosts.processesOf(host, "reelgrid-cli worker"))
            if (textOf("/proc/" + std::to_string(process) + "/cmdline").find("--remote") == std::string::npos)
                return ::kill(process, number) == 0;
        return false;
    }

    LoopbackHosts m_hosts{2};
    TestFolder m_folder;
};

TEST_F(Hosts, MakeTheSameClipsAsThisMachine) {
    const Words steps{"--num-inference-steps", "2"};
    const json here = resultsOf(compare("here", "sdpa,fav2,sagev1", steps));
    const std::string hosts = hostsFile(m_hosts.line(0) + "\n" + m_hosts.line(1) + "\n");
    auto rendering = std::async(std::launch::async, [&] {
        return compare("there", "sdpa,fav2,sagev1", {"--num-inference-steps", "2", "--hosts", hosts});
    });
    EXPECT_TRUE(holdClipsOf({0, 1}));
    let(0);
    let(1);
    const ProgramRun run = rendering.get();
    const json there = resultsOf(run);
    ASSERT_EQ(there.size(), 3U);
    std::set<std::string> machines;
    for (std::size_t i = 0; i < there.size(); ++i) {
        const json ours = manifestOf(here[i]["clip"].get<std::string>());
        const json theirs = manifestOf(there[i]["clip"].get<std::string>());
        EXPECT_EQ(ours["frames_sha256"], theirs["frames_sha256"]);
        EXPECT_EQ(theirs["request"]["output"], there[i]["clip"]);
        machines.insert(theirs["machine"].get<std::string>());
    }
    EXPECT_THAT(machines, testing::ElementsAre("ssh://host0", "ssh://host1"));
    EXPECT_THAT(run.errors, HasSubstr("host ssh://host0: "));
    EXPECT_THAT(run.errors, HasSubstr("rendered on different machines, whose times aren't comparable"));
    EXPECT_THAT(textOf(m_folder.path() / "there" / "report.html"),
                HasSubstr("rendered on different machines"));
    // Nothing stays, neither there nor here.
    EXPECT_THAT(namesBelow(m_hosts.home(0), "reelgrid-remote"), IsEmpty());
    EXPECT_THAT(namesBelow(m_hosts.home(1), "reelgrid-remote"), IsEmpty());
    EXPECT_THAT(namesBelow(m_folder.path() / "there" / "results", "."),
                testing::Each(testing::EndsWith(".lock")));
    const ProgramRun again =
        compare("there", "sdpa,fav2,sagev1", {"--num-inference-steps", "2", "--reuse", "--hosts", hosts});
    for (const json& one : resultsOf(again)) EXPECT_EQ(one["reused"], true) << again.errors;
}

TEST_F(Hosts, GetPicturesAndModelsByTheirContent) {
    const fs::path resources = REELGRID_SOURCE_DIR "/resources";
    const fs::path model = m_folder.path() / "model", picture = m_folder.path() / "begin.png";
    fs::copy(resources / "models/wan-demo", model, fs::copy_options::recursive);
    fs::copy_file(resources / "prompts/pictures/pizza-grass.png", picture);
    const std::string hosts = hostsFile(m_hosts.line(0) + "\n");
    const json begun = resultsOf(compare("begun", "sdpa",
                                         {"--model", "demo-i2v", "--num-inference-steps", "1",
                                          "--img-file-path", picture.string(), "--hosts", hosts}));
    ASSERT_EQ(begun.size(), 1U);
    const json withPicture = manifestOf(begun[0]["clip"].get<std::string>());
    EXPECT_EQ(withPicture["request"]["img_file_path"], picture.string());
    EXPECT_EQ(withPicture["settings"]["img_file_path"], picture.string());

    const ProgramRun withPlugin = compare("plugin", "example",
                                          {"--num-inference-steps", "1", "--backend-plugin",
                                           REELGRID_TEST_PLUGINS "/example.so", "--hosts", hosts});
    const json served = resultsOf(withPlugin);
    ASSERT_EQ(served.size(), 1U);
    EXPECT_EQ(served[0]["used"], "example") << withPlugin.errors;
    EXPECT_EQ(manifestOf(served[0]["clip"].get<std::string>())["machine"], "ssh://host0");

    const Words further{"--model", model.string(), "--prompt", "a red square", "--num-inference-steps",
                        "1",       "--hosts",      hosts};
    const json results = resultsOf(compare("out", "sdpa", further));
    ASSERT_EQ(results.size(), 1U);
    const json manifest = manifestOf(results[0]["clip"].get<std::string>());
    EXPECT_EQ(manifest["model"]["id"], model.string());
    EXPECT_EQ(manifest["machine"], "ssh://host0");

    // The same size and another content: only the host's hashes tell.
    fs::path weights;
    for (const auto& entry : fs::recursive_directory_iterator(model / "transformer"))
        if (entry.path().extension() == ".safetensors") weights = entry.path();
    std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x3f');
    file.close();
    const ProgramRun other = compare("other", "sdpa", further);
    EXPECT_EQ(other.exitCode, 1);
    EXPECT_THAT(other.errors, HasSubstr("ssh://host0: it lacks the model " + model.string() +
                                        ": none of its own has the same SHA-256"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "other" / "report.html"));
}

TEST_F(Hosts, GiveAJobBackOnceWhereTheyVanish) {
    const std::string hosts = hostsFile(m_hosts.line(0) + "\n" + m_hosts.line(1) + "\n");
    auto run = std::async(std::launch::async, [&] {
        return compare("out", "sdpa,fav2", {"--num-inference-steps", "20", "--hosts", hosts});
    });
    EXPECT_TRUE(holdClipsOf({0, 1}));
    m_hosts.vanish(0);
    let(1);
    const ProgramRun ended = run.get();
    const json results = resultsOf(ended);
    ASSERT_EQ(results.size(), 2U);
    for (const json& one : results)
        EXPECT_EQ(manifestOf(one["clip"].get<std::string>())["machine"], "ssh://host1");
    EXPECT_THAT(ended.errors, HasSubstr("given back, as its machine is gone: ssh://host0: the connection"));

    // The second machine goes, too: the job that was given back fails, and says why.
    auto last = std::async(std::launch::async, [&] {
        return compare("none", "sdpa", {"--num-inference-steps", "20", "--hosts", hosts});
    });
    EXPECT_TRUE(holdClipsOf({1}));
    m_hosts.vanish(1);
    const ProgramRun lost = last.get();
    EXPECT_EQ(lost.exitCode, 1);
    EXPECT_THAT(lost.errors, HasSubstr("left out: ssh://host0: "));
    EXPECT_THAT(lost.errors, HasSubstr("sdpa: ssh://host1: the connection"));
    EXPECT_THAT(namesBelow(m_folder.path() / "none", "wan"), IsEmpty());
}

TEST_F(Hosts, AreLeftOutWhereTheyCanNotRender) {
    const ProgramRun absent =
        compare("out", "sdpa",
                {"--num-inference-steps", "1", "--hosts", hostsFile("ssh://nobody@127.0.0.1:1\nhere\n")});
    EXPECT_EQ(absent.exitCode, 0) << absent.errors;
    EXPECT_THAT(absent.errors, HasSubstr("left out: ssh://nobody@127.0.0.1:1: "));
    EXPECT_THAT(absent.errors, HasSubstr("Connection refused"));
    const ProgramRun none = compare("none", "sdpa", {"--hosts", hostsFile("ssh://nobody@127.0.0.1:1\n")});
    EXPECT_EQ(none.exitCode, 1);
    EXPECT_THAT(none.errors, HasSubstr("none of its hosts answered"));
    const ProgramRun wrong = compare("none", "sdpa", {"--hosts", hostsFile("http://a\n")});
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("hosts, line 2: host http://a: here, ssh://user@host or "
                                        "slurm:partition was needed"));
    EXPECT_EQ(compare("none", "sdpa", {"--resume", "--hosts", hostsFile("here\n")}).exitCode, 2);
    EXPECT_FALSE(fs::exists(m_folder.path() / "none" / "report.html"));
}

/// Slurm's controller can't be had in a test: a program in srun's place runs what comes after its options.
TEST_F(Hosts, CanBeJobsOfSlurm) {
    const fs::path srun = m_folder.path() / "bin" / "srun";
    fs::create_directories(srun.parent_path());
    std::ofstream(srun) << "#!/bin/sh\nfor word; do case $word in --*) echo \"$word\" >> " +
                               m_folder.file("asked") + "; shift;; *) break;; esac; done\nexec \"$@\"\n";
    fs::permissions(srun, fs::perms::owner_all);
    auto environment = m_hosts.environment();
    environment["PATH"] = srun.parent_path().string() + ":" + environment["PATH"];
    const std::string hosts =
        hostsFile("slurm:debug?time=5&cpus-per-task=2&program=" REELGRID_BINARY_DIR "/bin/reelgrid-cli\n");
    const ProgramRun run =
        runProgram({"compare", "--types", "sdpa", "--num-frames", "9", "--num-inference-steps", "1", "--json",
                    "--hosts", hosts, "--output-dir", m_folder.file("out")},
                   "", environment);
    const json results = resultsOf(run);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(manifestOf(results[0]["clip"].get<std::string>())["machine"], "slurm:debug");
    const std::string asked = textOf(m_folder.file("asked"));
    for (const char* option : {"--ntasks=1\n", "--partition=debug\n", "--time=5\n", "--cpus-per-task=2\n"})
        EXPECT_THAT(asked, HasSubstr(option));
}

}  // namespace
}  // namespace reelgrid::cli
