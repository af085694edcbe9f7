// A user's own attention backends, as the program takes them: found, rendered with, and blamed.

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/protocol/result_paths.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string pluginFile(const std::string& name) {
    return std::string(REELGRID_TEST_PLUGINS) + "/" + name + ".so";
}

std::vector<std::string> tinyWithPlugin(std::vector<std::string> arguments, const std::string& plugin) {
    arguments.insert(arguments.end(),
                     {"--height", "48", "--width", "64", "--num-frames", "5", "--num-inference-steps", "2",
                      "--dtype", "fp32", "--backend-plugin", pluginFile(plugin)});
    return arguments;
}

TEST(BackendPlugin, IsListedDescribedAndNamedWhereOursAre) {
    const json listed = onlyDocument(
        runProgram({"backends", "list", "--json", "--backend-plugin", pluginFile("wrong")}).output);
    ASSERT_TRUE(listed.is_array());
    EXPECT_FALSE(listed[0].contains("plugin"));
    EXPECT_EQ(listed.back()["name"], "tail");
    EXPECT_EQ(listed.back()["plugin"]["file"], pluginFile("wrong"));
    const ProgramRun described =
        runProgram({"backends", "describe", "example", "--backend-plugin=" + pluginFile("example")});
    EXPECT_THAT(described.output, AllOf(HasSubstr("origin      plug-in, not part of ReelGrid"),
                                        HasSubstr("takes       causal, key_bias, shared_keys")));
    EXPECT_THAT(runProgram({"doctor"}, "", {{"REELGRID_BACKEND_PATH", pluginFile("example")}}).output,
                HasSubstr("backend    example (cpu): Exact attention in plain C++"));
    const ProgramRun unknown = runProgram({"backends", "describe", "example"});
    EXPECT_EQ(unknown.exitCode, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("--backend-plugin FILE"));
}

TEST(BackendPlugin, ABadOneThatWasGivenEndsTheProgramAndOneThatLiesThereIsLeftOut) {
    const ProgramRun given =
        runProgram({"backends", "list", "--backend-plugin", pluginFile("CrashesAsLoaded")});
    EXPECT_EQ(given.exitCode, 1);
    EXPECT_THAT(given.errors, HasSubstr("CrashesAsLoaded.so: it crashed as it was loaded"));
    const ProgramRun there =
        runProgram({"backends", "list"}, "", {{"REELGRID_BACKEND_PATH", pluginFile("CrashesAsLoaded")}});
    EXPECT_EQ(there.exitCode, 0);
    EXPECT_THAT(there.errors, HasSubstr("note: backend plug-in left out: "));
}

TEST(BackendPlugin, RendersAndTheManifestSaysWhichFileItWas) {
    const TestFolder folder;
    const ProgramRun run = runProgram(tinyWithPlugin({"compare", "--types", "sdpa,example", "--lockstep",
                                                      "--output-dir", folder.path(), "--json", "--reuse"},
                                                     "example"));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json results = onlyDocument(run.output)["results"];
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[1]["used"], "example");
    const json manifest = results[1]["manifest"];
    ASSERT_EQ(manifest["plugins"].size(), 1U) << manifest;
    EXPECT_EQ(manifest["plugins"][0]["file"], pluginFile("example"));
    EXPECT_EQ(manifest["plugins"][0]["version"], "1.0");
    EXPECT_EQ(manifest["plugins"][0]["sha256"].get<std::string>().size(), 64U);
    EXPECT_EQ(manifest["repeats"]["same_bits"], false);
    EXPECT_EQ(results[0]["manifest"]["repeats"]["same_bits"], true);
    std::ifstream report(folder.path() / "report.html");
    const std::string html((std::istreambuf_iterator<char>(report)), {});
    EXPECT_THAT(html, HasSubstr("Plug-in, not part of ReelGrid"));
}

TEST(BackendPlugin, AnotherBuildOfItIsRenderedAgain) {
    const TestFolder folder;
    fs::copy_file(pluginFile("example"), folder.path() / "mine.so");
    std::vector<std::string> command = tinyWithPlugin(
        {"compare", "--types", "example", "--output-dir", folder.file("out"), "--json", "--reuse"},
        "example");
    command.back() = folder.file("mine.so");
    ASSERT_EQ(runProgram(command).exitCode, 0);
    EXPECT_TRUE(onlyDocument(runProgram(command).output)["results"][0]["reused"]);
    std::ofstream(folder.path() / "mine.so", std::ios::app) << "another build";
    const ProgramRun again = runProgram(command);
    EXPECT_FALSE(onlyDocument(again.output)["results"][0]["reused"]);
    EXPECT_THAT(again.errors, HasSubstr("its example was another plug-in's, or another build of it"));
}

/// A render that must fail, leave nothing and say whose fault it was.
void expectBlamed(const std::string& backend, const std::vector<std::string>& more, const std::string& what) {
    const TestFolder folder;
    const fs::path clip = folder.path() / "clip.mp4";
    std::vector<std::string> command =
        tinyWithPlugin({"render", "--attention-type", backend, "--output", clip}, "faulty");
    command.insert(command.end(), more.begin(), more.end());
    const ProgramRun run = runProgram(command);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors,
                AllOf(HasSubstr("plug-in " + backend + " (" + pluginFile("faulty") + ")"), HasSubstr(what)));
    EXPECT_FALSE(fs::exists(clip)) << backend;
    EXPECT_FALSE(fs::exists(protocol::resultFolderOf(clip))) << backend;
}

TEST(BackendPlugin, WhatGoesWrongCostsItsJobAndIsItsFault) {
    expectBlamed("crashing", {}, "in run(), crashed (segmentation fault)");
    expectBlamed("hanging", {"--job-timeout", "6"}, "in run(), was still running");
    expectBlamed("stopping", {"--job-timeout", "6"}, "in run(), was still running");
    expectBlamed("exiting", {}, "in run(), ended the process (exit)");
    expectBlamed("quitting", {}, "in run(), ended the process (_exit)");
    expectBlamed("terminating", {"--job-timeout", "30"}, "in run(), sent this process SIGTERM");
    expectBlamed("leaving", {}, "left NaN, infinite or unwritten values in its output");
    expectBlamed("overrunning", {}, "wrote outside its output");
    expectBlamed("meddling", {}, "changed its inputs");
    expectBlamed("throwing", {}, "threw an exception: no tiles left");
}

TEST(BackendPlugin, ABenchmarkThatAKernelEndsHasFailed) {
    for (const char* kernel : {"exiting", "quitting"}) {
        const ProgramRun run = runProgram({"bench", "attention", "--shape", "1,1,16,16", "--dtype", "fp32",
                                           "--kernel", kernel, "--backend-plugin", pluginFile("faulty")});
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_THAT(run.errors, HasSubstr("ended the process ("));
    }
}

TEST(BackendPlugin, ABenchmarkLooksAtWhatARenderLooksAt) {
    const auto errorsOf = [](const std::string& kernels) {
        const ProgramRun run =
            runProgram({"bench", "attention", "--shape", "1,2,64,64", "--dtype", "fp32", "--num-repetitions",
                        "3", "--kernel", kernels, "--backend-plugin", pluginFile("faulty")});
        EXPECT_EQ(run.exitCode, 1) << kernels;
        return run.errors;
    };
    EXPECT_THAT(errorsOf("leaving"), HasSubstr("plug-in leaving (" + pluginFile("faulty") +
                                               ") left NaN, infinite or unwritten values in its output"));
    EXPECT_THAT(errorsOf("overrunning"), HasSubstr("wrote outside its output"));
    EXPECT_THAT(errorsOf("cramped"), HasSubstr("wrote outside its workspace"));
    EXPECT_THAT(errorsOf("meddling,fav2"), HasSubstr("changed its inputs in a call of"));
    EXPECT_THAT(errorsOf("relapsing,fav2"), HasSubstr("changed its inputs in a call that was timed"));
}

TEST(BackendPlugin, CasesBeforeWhoseEndTheProcessEndsHaveFailed) {
    const ProgramRun run = runProgram({"backends", "check", pluginFile("EndsTheProcess"), "--json"});
    EXPECT_EQ(run.exitCode, 1);
    const json check = onlyDocument(run.output)["checked"][0];
    EXPECT_EQ(check["holding"], 0);
    EXPECT_GT(check["failing"], 20);
}

TEST(BackendPlugin, WhatAKernelPrintsIsNoPartOfABenchmarksDocument) {
    const ProgramRun run =
        runProgram({"bench", "attention", "--shape", "1,1,16,16", "--dtype", "fp32", "--num-repetitions", "1",
                    "--kernel", "printing", "--json", "--backend-plugin", pluginFile("faulty")});
    EXPECT_EQ(run.exitCode, 0);
    EXPECT_EQ(onlyDocument(run.output)["rows"].size(), 2U);
    EXPECT_THAT(run.errors, HasSubstr("{\"mine\": 1}"));
}

TEST(BackendPlugin, ABenchmarkWhoseResultCannotBePrintedHasFailed) {
    const auto errorsOf = [](const std::string& kernel) {
        const ProgramRun run =
            runProgram({"bench", "attention", "--shape", "1,1,16,16", "--dtype", "fp32", "--num-repetitions",
                        "1", "--kernel", kernel, "--json", "--backend-plugin", pluginFile("faulty")});
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_EQ(run.output, "");
        return run.errors;
    };
    for (const char* kernel : {"sealing", "starving", "exchanging"})
        EXPECT_THAT(errorsOf(kernel), HasSubstr("stdout is gone: a kernel closed the program's files"));
    EXPECT_THAT(errorsOf("wavering"), HasSubstr("wavering took a call before and refuses it now: "));
}

/// What a render that must fail says.
std::string errorsOfRender(const std::string& backend) {
    const TestFolder folder;
    const ProgramRun run = runProgram(tinyWithPlugin(
        {"render", "--attention-type", backend, "--output", folder.file("clip.mp4")}, "faulty"));
    EXPECT_EQ(run.exitCode, 1);
    return run.errors;
}

TEST(BackendPlugin, AWorkerThatMayHaveNoFilesEnds) {
    EXPECT_THAT(errorsOfRender("starving"), HasSubstr("the worker ended with exit code 1"));
}

/// Which ends the process where the kernel runs, by the program's own call.
TEST(BackendPlugin, AnInterruptedBenchmarkIsNotAKernelsFault) {
    RunningProgram program({"bench", "attention", "--shape", "1,1,16,16", "--dtype", "fp32", "--kernel",
                            "hanging", "--backend-plugin", pluginFile("faulty")});
    std::this_thread::sleep_for(std::chrono::seconds(5));  // it has begun by then, or the test shows nothing
    program.signal(SIGTERM);
    const ProgramRun run = program.finish(60);
    EXPECT_THAT(run.errors, HasSubstr("stopped by SIGTERM"));
    EXPECT_THAT(run.errors, Not(HasSubstr("ended the process")));
}

TEST(BackendPlugin, AProcessThatAKernelForksMayEndAsItLikes) {
    const ProgramRun run = runProgram({"bench", "attention", "--shape", "1,1,16,16", "--dtype", "fp32",
                                       "--kernel", "forking", "--backend-plugin", pluginFile("faulty")});
    EXPECT_EQ(run.exitCode, 0) << run.errors;
    EXPECT_THAT(run.errors, Not(HasSubstr("ended the process")));
}

TEST(BackendPlugin, OneThatLeavesAProcessBehindIsNotWaitedFor) {
    const TestFolder folder;
    const auto begin = std::chrono::steady_clock::now();
    const ProgramRun run = runProgram(tinyWithPlugin(
        {"render", "--attention-type", "mine", "--output", folder.file("clip.mp4")}, "LeavesAProcess"));
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("left NaN, infinite or unwritten values in its output"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

/// Without torch, as a machine that tests may be.
class PythonKernel : public testing::Test {
  protected:
    void SetUp() override {
        const json python = onlyDocument(runProgram({"doctor", "--json"}).output)["python"];
        if (!python.contains("runtime")) GTEST_SKIP() << python["why"];
        runtime = python["runtime"];
    }

    static std::string fileOf(const std::string& name) {
        return std::string(REELGRID_PYTHON_KERNELS) + "/" + name + ".py";
    }
    static std::vector<std::string> tiny(std::vector<std::string> arguments, const std::string& kernel) {
        arguments = tinyWithPlugin(std::move(arguments), "");
        arguments.back() = fileOf(kernel);
        return arguments;
    }

    std::string runtime;
};

TEST_F(PythonKernel, RendersAndTheManifestSaysWhatRanIt) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram(tiny({"compare", "--types", "sdpa,copying", "--backend-option", "copying.window=5,3,1",
                         "--backend-option", "copying.share=0.25", "--output-dir", folder.path(), "--json"},
                        "copying"));
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json results = onlyDocument(run.output)["results"];
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[1]["used"], "copying");
    const json manifest = results[1]["manifest"], plugin = manifest["plugins"][0];
    EXPECT_EQ(plugin["file"], fileOf("copying"));
    EXPECT_THAT(plugin["runtime"].get<std::string>(), testing::StartsWith("Python 3."));
    EXPECT_TRUE(fs::path(plugin["interpreter"].get<std::string>()).is_absolute());
    EXPECT_EQ(manifest["settings"]["backend_option"], json({"copying.window=5,3,1", "copying.share=0.25"}));
    EXPECT_FALSE(results[0]["manifest"]["settings"].contains("backend_option")) << "of another backend";
    EXPECT_THAT(results[1]["clip"].get<std::string>(), HasSubstr("copying+window-5x3x1+share-0.25"));
}

TEST_F(PythonKernel, ThatGoesWrongCostsItsJobAndIsItsFault) {
    const auto errorsOf = [](const std::vector<std::string>& more) {
        const TestFolder folder;
        const fs::path clip = folder.path() / "clip.mp4";
        std::vector<std::string> command =
            tiny({"render", "--attention-type", "faulty", "--output", clip}, "faulty");
        command.insert(command.end(), more.begin(), more.end());
        const ProgramRun run = runProgram(command);
        EXPECT_EQ(run.exitCode, 1);
        EXPECT_FALSE(fs::exists(clip) || fs::exists(protocol::resultFolderOf(clip)));
        return run.errors;
    };
    const std::string blamed = "plug-in faulty (" + fileOf("faulty") + "), in attend() of q [1, ";
    EXPECT_THAT(errorsOf({}), AllOf(HasSubstr(blamed), HasSubstr("failed: ValueError: no tiles left")));
    EXPECT_THAT(errorsOf({"--backend-option", "faulty.how=crashing"}),
                AllOf(HasSubstr(blamed), HasSubstr("ended by signal 11 (Segmentation fault)")));
    EXPECT_THAT(errorsOf({"--backend-option", "faulty.how=hanging", "--job-timeout", "6"}),
                AllOf(HasSubstr(blamed), HasSubstr("was still running")));
    EXPECT_THAT(errorsOf({"--backend-option", "faulty.how=terminating", "--job-timeout", "30"}),
                HasSubstr("plug-in faulty (" + fileOf("faulty") + ") sent this process SIGTERM"));
    EXPECT_THAT(errorsOf({"--backend-option", "faulty.how=leaving"}),
                HasSubstr("left NaN, infinite or unwritten values in its output"));
}

TEST_F(PythonKernel, OptionsThatItHasNotAreBadUsage) {
    const TestFolder folder;
    const ProgramRun run = runProgram(tiny({"render", "--attention-type", "copying", "--backend-option",
                                            "copying.windows=1", "--output", folder.file("clip.mp4")},
                                           "copying"));
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.errors,
                HasSubstr("--backend-option copying.windows=1: copying has no option windows, one "
                          "of window, share, word, count was needed"));
}

TEST_F(PythonKernel, TheNewOneHoldsInEveryCase) {
    const TestFolder folder;
    const std::string made = folder.file("mine");
    const ProgramRun written =
        runProgram({"backends", "new", "mine", "--kind", "python", "--output-dir", made, "--json"});
    ASSERT_EQ(written.exitCode, 0) << written.errors;
    const std::string file = onlyDocument(written.output)["library"];
    EXPECT_TRUE(fs::exists(file) && fs::exists(made + "/README.md"));
    if (runtime.find("torch") == runtime.npos) GTEST_SKIP() << runtime << " has no torch";
    const ProgramRun checked = runProgram({"backends", "check", file, "--shape", "1,2,100,64", "--json"});
    ASSERT_EQ(checked.exitCode, 0) << checked.output << checked.errors;
    const json check = onlyDocument(checked.output)["checked"][0];
    EXPECT_EQ(check["failing"], 0);
    EXPECT_EQ(check["unsupported"], 0);
    EXPECT_GT(check["speed"]["call_overhead_us"], 0);
}

TEST_F(PythonKernel, TheNewOnesTritonKernelHoldsUnderTritonsInterpreter) {
    if (runtime.find("triton") == runtime.npos) GTEST_SKIP() << runtime << " has no triton";
    const TestFolder folder;
    const std::string made = folder.file("mine");
    const ProgramRun written =
        runProgram({"backends", "new", "mine", "--kind", "python", "--output-dir", made, "--json"});
    ASSERT_EQ(written.exitCode, 0) << written.errors;
    const std::string file = onlyDocument(written.output)["library"];
    const ProgramRun checked = runProgram({"backends", "check", file, "--shape", "1,2,100,64", "--json"}, "",
                                          {{"TRITON_INTERPRET", "1"}});
    if (checked.output.find("0-dimensional arrays") != std::string::npos)
        GTEST_SKIP() << "Triton's interpreter doesn't know this numpy";
    ASSERT_EQ(checked.exitCode, 0) << checked.output << checked.errors;
    const json check = onlyDocument(checked.output)["checked"][0];
    EXPECT_EQ(check["failing"], 0);
    // What runs in the interpreter is far slower than the plain kernel, which takes less than a millisecond.
    for (const json& row : check["speed"]["rows"])
        if (row["kernel"] == "mine") {
            EXPECT_GT(row["ms_p50"], 5);
        }
}

TEST(BackendPlugin, OneThatClosesEveryFileIsToldByTheWayTheWorkerEnds) {
    EXPECT_THAT(errorsOfRender("closing"),
                HasSubstr("the plug-in that ran had closed its files and streams"));
}

TEST(BackendPlugin, TheOthersOfAComparisonGoOn) {
    const TestFolder folder;
    const ProgramRun run = runProgram(tinyWithPlugin(
        {"compare", "--types", "crashing,sdpa", "--output-dir", folder.path(), "--json"}, "faulty"));
    EXPECT_EQ(run.exitCode, 1);
    const json results = onlyDocument(run.output)["results"];
    ASSERT_EQ(results.size(), 2U);
    EXPECT_THAT(results[0]["error"]["message"].get<std::string>(), HasSubstr("plug-in crashing"));
    EXPECT_EQ(results[1]["used"], "sdpa");
}

TEST(BackendPlugin, AWrongOneIsSeenInTheGridsFigures) {
    const TestFolder folder;
    // 144 tokens: more than the head dim, within whose squares it goes wrong.
    const ProgramRun run =
        runProgram({"compare", "--types", "sdpa,fav2,transposed", "--output-dir", folder.path(), "--json",
                    "--height", "96", "--width", "128", "--num-frames", "9", "--num-inference-steps", "2",
                    "--dtype", "fp32", "--backend-plugin", pluginFile("wrong")});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json results = onlyDocument(run.output)["results"];
    const auto psnr = [](const json& result) {
        const json& metrics = result["metrics"];
        const json& own = metrics.contains("drift") ? metrics["drift"]["psnr"] : metrics["psnr"];
        return own.is_object() ? own["mean"].get<double>() : own.get<double>();
    };
    EXPECT_GT(psnr(results[1]), psnr(results[2]) + 20) << results[2]["metrics"];
}

TEST(BackendPlugin, ARecipeMakesABackendOfALibtorchOperator) {
    const std::string recipes = REELGRID_SOURCE_DIR "/resources/backends/torch_operator/";
    const ProgramRun run = runProgram({"bench", "attention", "--shape", "1,2,100,64", "--dtype", "fp32,bf16",
                                       "--kernel", "flash_cpu", "--num-repetitions", "2", "--json",
                                       "--backend-plugin", recipes + "flash_cpu.json"});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json rows = onlyDocument(run.output)["rows"];
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[1]["used"], "flash_cpu");
    EXPECT_GT(rows[1]["cosine"], 0.999999);
    EXPECT_GT(rows[3]["cosine"], 0.9999);
}

TEST(BackendPlugin, ARecipeThatCanNotBeServedSaysWhy) {
    const TestFolder folder;
    const auto whyNot = [&](json recipe) {
        const std::string file = folder.file("recipe.json");
        std::ofstream(file) << recipe;
        const ProgramRun run = runProgram({"bench", "attention", "--shape", "1,2,10,64", "--kernel", "mine",
                                           "--num-repetitions", "1", "--json", "--backend-plugin", file});
        if (run.exitCode != 0) return run.errors;
        return onlyDocument(run.output)["rows"][1].value("why", "");
    };
    const json recipe = {{"plugin", "torch_operator"},
                         {"name", "mine"},
                         {"operator", "aten::softmax"},
                         {"overload", "int"},
                         {"arguments", {{"self", "$q"}, {"dim", -1}}},
                         {"devices", json::array({"cpu"})},
                         {"dtypes", json::array({"bf16"})}};
    const auto with = [&](const char* key, const json& value) {
        json changed = recipe;
        changed[key] = value;
        return changed;
    };
    EXPECT_EQ(whyNot(recipe), "");
    EXPECT_EQ(whyNot(with("library", REELGRID_TEST_PLUGINS "/PythonModule.so")), "")
        << "a wheel's library is a module of Python, too";
    EXPECT_THAT(whyNot(with("operator", "nobody::knows")),
                HasSubstr("libtorch knows no operator nobody::knows"));
    EXPECT_THAT(whyNot(with("library", "missing.so")),
                HasSubstr("its library can't be loaded by libtorch 2."));
    EXPECT_THAT(whyNot(with("arguments", {{"self", "$q"}})),
                HasSubstr("\"arguments\" lacks dim: aten::softmax.int("));
    EXPECT_THAT(whyNot(with("arguments", {{"self", "$q"}, {"dim", -1}, {"speed", 3}})),
                HasSubstr("no argument speed"));
    EXPECT_THAT(whyNot(with("arguments", {{"self", "$zzz"}, {"dim", -1}})),
                HasSubstr("argument self \"$zzz\": a number, true or false, a text, null, or one of $q, $k"));
    EXPECT_THAT(whyNot(with("arguments", {{"self", "$q"}, {"dim", "last"}})),
                HasSubstr("argument dim \"last\": int was needed: aten::softmax.int("));
    EXPECT_THAT(whyNot(with("arguments", {{"self", 3}, {"dim", -1}})),
                HasSubstr("argument self 3: Tensor was needed"));
    EXPECT_THAT(whyNot(with("arguments", {{"self", "$q"}, {"dim", json::array({1})}})),
                HasSubstr("argument dim [1]: a number"));
    EXPECT_THAT(whyNot(with("plugin", "nothing")), HasSubstr("no such file"));
    EXPECT_THAT(whyNot(with("result", -1)),
                HasSubstr("result -1: a whole number from 0 to 65536 was needed"));
    EXPECT_THAT(whyNot(with("contiguous", "yes")), HasSubstr("contiguous \"yes\": true or false was needed"));
    EXPECT_THAT(whyNot(with("max_head_dim", 1e99)), HasSubstr("max_head_dim 1e+99: a whole number from 1"));
    EXPECT_THAT(whyNot(with("devices", json::array({"tpu"}))),
                HasSubstr("devices \"tpu\": one of cpu, cuda"));
    EXPECT_THAT(whyNot(with("arguments", 3)),
                HasSubstr("arguments 3: an object of the operator's arguments"));
    EXPECT_THAT(whyNot(with("name", 3)), HasSubstr("name 3: a text was needed"));
    EXPECT_THAT(whyNot(with("layout", "DHNB")), HasSubstr("layout DHNB: BNHD or BHND was needed"));
    EXPECT_THAT(whyNot(with("laypout", "BHND")),
                HasSubstr("field \"laypout\": one of plugin, name, title, description, version, library"));
    for (const char* field : {"title", "description", "version"})
        EXPECT_EQ(whyNot(with(field, "my own")), "") << field;
    EXPECT_EQ(whyNot(with("claimed_l1", 0.5)), "");
    EXPECT_THAT(whyNot(with("claimed_l1", -0.1)), HasSubstr("claimed_l1 -0.1: a number from 0 was needed"));
    EXPECT_THAT(whyNot(with("name", std::string("mi\0ne", 5))),
                HasSubstr("name \"mi\\u0000ne\": a text without zero bytes was needed"));
    EXPECT_THAT(whyNot(with("operator", std::string(5000, 'a'))),
                HasSubstr("operator has 5000 bytes, at most 180 were needed"));
}

TEST(BackendPlugin, AnOperatorThatGivesSomethingElseThanAttentionFailsByItsName) {
    const TestFolder folder;
    const auto failureOf = [&](const std::string& name, const json& arguments, int result = 0) {
        const std::string file = folder.file("recipe.json");
        std::ofstream(file) << json{{"plugin", "torch_operator"},
                                    {"name", "mine"},
                                    {"operator", name},
                                    {"arguments", arguments},
                                    {"layout", "BHND"},
                                    {"result", result},
                                    {"devices", json::array({"cpu"})},
                                    {"dtypes", json::array({"fp32"})}};
        const ProgramRun run =
            runProgram({"bench", "attention", "--shape", "1,2,10,64", "--dtype", "fp32", "--kernel", "mine",
                        "--num-repetitions", "1", "--json", "--backend-plugin", file});
        EXPECT_EQ(run.exitCode, 1);
        return run.errors;
    };
    const json q = {{"self", "$q"}};
    const auto narrowed = [](int length) {
        return json{{"self", "$q"}, {"dim", 2}, {"start", 0}, {"length", length}};
    };
    const std::string needed = ": [1, 2, 10, 64] in fp32 (BHND) was needed";
    EXPECT_THAT(failureOf("aten::mean", q), HasSubstr("result 0 of aten::mean is [] in fp32" + needed));
    EXPECT_THAT(failureOf("aten::argmax", q), HasSubstr("result 0 of aten::argmax is [] in Long" + needed));
    EXPECT_THAT(failureOf("aten::isnan", q),
                HasSubstr("result 0 of aten::isnan is [1, 2, 10, 64] in Bool" + needed));
    EXPECT_THAT(failureOf("aten::narrow", narrowed(1)), HasSubstr("is [1, 2, 1, 64] in fp32" + needed));
    EXPECT_THAT(failureOf("aten::narrow", narrowed(7)), HasSubstr("is [1, 2, 7, 64] in fp32" + needed));
    EXPECT_THAT(failureOf("aten::mean", q, 3), HasSubstr("result 3 of aten::mean isn't there, it gives 1"));
    EXPECT_THAT(failureOf("aten::narrow", narrowed(1000)),
                HasSubstr("aten::narrow fails with q [1, 2, 10, 64] in fp32, k and v [1, 2, 10, 64] in fp32 "
                          "(BHND): "));
}

TEST(BackendPlugin, ARecipeThatSaysAThingTwiceIsRefused) {
    const TestFolder folder;
    const std::string file = folder.file("recipe.json");
    std::ofstream(file) << R"({"plugin": "torch_operator", "name": "mine", "name": "yours",
        "operator": "aten::softmax", "overload": "int", "arguments": {"self": "$q", "dim": -1},
        "devices": ["cpu"], "dtypes": ["bf16"]})";
    const ProgramRun run = runProgram({"backends", "list", "--backend-plugin", file});
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr(file + ": \"name\" is there twice, once was needed"));
}

TEST(BackendPlugin, NoRequestBringsOneAlong) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram({"render", "--attention-type", "example", "--output", folder.file("a.mp4")});
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.errors, HasSubstr("was needed (a plug-in's: --backend-plugin FILE)"));
}

TEST(BackendPlugin, IsBenchedBesideOurs) {
    const ProgramRun run =
        runProgram({"bench", "attention", "--shape", "1,2,100,64", "--kernel", "fav2,example",
                    "--num-repetitions", "2", "--json", "--backend-plugin", pluginFile("example")});
    ASSERT_EQ(run.exitCode, 0) << run.errors;
    const json rows = onlyDocument(run.output)["rows"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2]["used"], "example");
    EXPECT_GT(rows[2]["cosine"], 0.9999);
    EXPECT_TRUE(rows[2]["ms_kernel_p50"].is_null());
}

json checked(const std::vector<std::string>& arguments, int exitCode, const char* secondsPerCase = "20") {
    std::vector<std::string> command{"backends",  "check",          "--json",      "--shape",
                                     "1,1,64,64", "--case-timeout", secondsPerCase};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ProgramRun run = runProgram(command);
    EXPECT_EQ(run.exitCode, exitCode) << run.errors;
    const json document = onlyDocument(run.output);
    return document.is_object() ? document["checked"] : json();
}

const json& caseOf(const json& check, const std::string& name, const std::string& dtype) {
    for (const json& each : check["cases"])
        if (each["name"] == name && each["dtype"] == dtype) return each;
    static const json none = json::object();
    return none;
}

TEST(BackendsCheck, TheExampleHoldsInEveryCaseThatItSupports) {
    const json check = checked({pluginFile("example")}, 0);
    ASSERT_EQ(check.size(), 1U);
    EXPECT_EQ(check[0]["failing"], 0) << check[0];
    EXPECT_GT(check[0]["holding"], 60);
    EXPECT_EQ(caseOf(check[0], "lengths 113×203", "fp16")["why_not"],
              "example: dtype fp16, needs fp32 or bf16");
    EXPECT_LT(caseOf(check[0], "lengths 113×203", "fp32")["max_error"], 1e-6);
    EXPECT_EQ(check[0]["speed"]["rows"].size(), 3U);
}

TEST(BackendsCheck, OursHoldToo) {
    EXPECT_EQ(checked({"fav2"}, 0)[0]["failing"], 0);
    EXPECT_EQ(checked({"sagev1", "--max-l1", "0.2"}, 0)[0]["claimed_l1"], 0.2);
}

TEST(BackendsCheck, SeesWhatTheWrongExampleDoesWrong) {
    const json check = checked({pluginFile("wrong")}, 1);
    ASSERT_EQ(check.size(), 2U);
    const json &transposed = check[0], &tail = check[1];
    EXPECT_FALSE(caseOf(transposed, "lengths 128×128", "fp32")["holds"]);
    EXPECT_TRUE(caseOf(transposed, "lengths 799×3", "fp32")["holds"]);  // has no whole square
    EXPECT_TRUE(caseOf(tail, "lengths 128×128", "fp32")["holds"]);
    EXPECT_TRUE(caseOf(tail, "lengths 48×64", "fp32")["holds"]);
    EXPECT_FALSE(caseOf(tail, "lengths 65×129", "fp32")["holds"]);
    EXPECT_THAT(caseOf(tail, "lengths 65×129", "fp32")["failure"].get<std::string>(),
                HasSubstr("largest error"));
}

TEST(BackendsCheck, EndsWhateverProcessAPluginLeavesBehind) {
    const auto begin = std::chrono::steady_clock::now();
    const json check = checked({pluginFile("LeavesAProcess")}, 1);
    EXPECT_EQ(caseOf(check[0], "lengths 113×203", "fp32")["failure"],
              "NaN, infinite or unwritten values in its output");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST(BackendsCheck, OutlivesACrashAndAHangAndNamesThem) {
    const json check = checked({pluginFile("faulty")}, 1, "6");
    std::map<std::string, std::string> failures;
    for (const json& backend : check)
        failures[backend["backend"]["name"]] =
            caseOf(backend, "lengths 113×203", "fp32").value("failure", "");
    EXPECT_THAT(caseOf(check[0], "lengths 1×1", "fp32")["failure"].get<std::string>(),
                HasSubstr("in run(), crashed (segmentation fault)"));
    EXPECT_THAT(
        caseOf(check[1], "lengths 1×1", "fp32")["failure"].get<std::string>(),
        AllOf(HasSubstr("took more than 6 seconds (--case-timeout)"), HasSubstr("was still running")));
    EXPECT_EQ(failures["leaving"], "NaN, infinite or unwritten values in its output");
    EXPECT_THAT(
        caseOf(check[3], "lengths 1×1", "fp32")["failure"].get<std::string>(),
        testing::AnyOf(HasSubstr("it went past the end of out"), HasSubstr("wrote outside its output")));
    EXPECT_THAT(caseOf(check[4], "lengths 1×1", "fp32")["failure"].get<std::string>(),
                HasSubstr("it wrote to its input k"));
    EXPECT_THAT(failures["throwing"], HasSubstr("no tiles left"));
}

TEST(BackendsNew, LeavesNothingWhereItFailsSoThatItCanBeTriedAgain) {
    const TestFolder folder;
    const fs::path empty = folder.path() / "empty";
    fs::create_directories(empty);
    const auto make = [&](const std::string& before, const std::string& where) {
        const std::string line = "cd '" + empty.string() + "' && " + before +
                                 " exec '" REELGRID_BINARY_DIR "/bin/reelgrid-cli' backends new my_kernel " +
                                 where + " >/dev/null 2>&1";
        return WEXITSTATUS(std::system(line.c_str()));
    };
    for (const std::string where : {"", "--output-dir new/folder/", "--output-dir ./"}) {
        EXPECT_EQ(make("ulimit -f 3;", where), 1) << where;
        ASSERT_TRUE(fs::exists(empty) && fs::is_empty(empty)) << where;
        EXPECT_EQ(make("", where), 0) << where;
        for (const auto& entry : fs::directory_iterator(empty)) fs::remove_all(entry);
    }
}

TEST(BackendsNew, MakesAProjectThatBuildsAndHolds) {
    const TestFolder folder;
    const std::string project = folder.file("mine");
    ASSERT_EQ(runProgram({"backends", "new", "my_kernel", "--output-dir", project}).exitCode, 0);
    // Ninja builds ReelGrid; a bare system has no make.
    const std::string build = "CMAKE_GENERATOR=Ninja cmake -S " + project + " -B " + project + "/build > " +
                              folder.file("log") + " 2>&1 && cmake --build " + project + "/build >> " +
                              folder.file("log") + " 2>&1";
    ASSERT_EQ(std::system(build.c_str()), 0);
    const json listed = onlyDocument(
        runProgram({"backends", "list", "--json", "--backend-plugin", project + "/build/my_kernel.so"})
            .output);
    EXPECT_EQ(listed.back()["name"], "my_kernel");
    EXPECT_EQ(checked({project + "/build/my_kernel.so"}, 0)[0]["failing"], 0);

    const ProgramRun again = runProgram({"backends", "new", "my_kernel", "--output-dir", project});
    EXPECT_EQ(again.exitCode, 2);
    EXPECT_THAT(again.errors, HasSubstr("is there already"));
    EXPECT_EQ(runProgram({"backends", "new", "fav2", "--output-dir", folder.file("b")}).exitCode, 2);
    EXPECT_EQ(runProgram({"backends", "new", "../x", "--output-dir", folder.file("c")}).exitCode, 2);
    EXPECT_EQ(
        runProgram({"backends", "new", "gpu", "--kind", "cuda", "--output-dir", folder.file("d")}).exitCode,
        0);
    EXPECT_TRUE(fs::exists(folder.path() / "d" / "gpu.cu"));
}

}  // namespace
}  // namespace reelgrid::cli
