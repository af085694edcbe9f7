// Kernels in Python, served by a bridge process: those here need no torch there.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/base/result.h"
#include "core/plugins/described_plugin.h"
#include "core/plugins/python/memory_spans.h"
#include "core/plugins/python/python_interpreter.h"
#include "core/plugins/python/python_kernel.h"
#include "core/plugins/python/shared_memory.h"

namespace reelgrid::plugins {
namespace {

using kernels::AttentionProblem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string kernelFile(const std::string& name) {
    return std::string(REELGRID_PYTHON_KERNELS) + "/" + name + ".py";
}

kernels::PluginDescription described(const std::string& name) {
    return describedBy(kernelFile(name)).value().front();
}

/// q, k and v as parts of one tensor [tokens, 3, heads, head dim], as models hand them over, in memory that
/// Python doesn't share or in memory that it does.
struct Call {
    static constexpr std::int64_t kHeads = 2, kTokens = 5, kDim = 8;

    explicit Call(std::int64_t keys = kTokens, float* memory = nullptr)
        : own(std::size_t(3 * kHeads * kTokens * kDim)), out(std::size_t(kHeads * kTokens * kDim), NAN) {
        std::iota(own.begin(), own.end(), 1.0F);
        float* qkv = own.data();
        if (memory != nullptr) std::memcpy(qkv = memory, own.data(), own.size() * sizeof(float));
        const kernels::Strides strides{0, kDim, 3 * kHeads * kDim};
        problem.q = qkv;
        problem.k = qkv + kHeads * kDim;
        problem.v = qkv + 2 * kHeads * kDim;
        problem.out = out.data();
        problem.queryHeads = problem.keyHeads = kHeads;
        problem.queries = kTokens;
        problem.keys = keys;
        problem.headDim = kDim;
        problem.qStrides = problem.kStrides = problem.vStrides = strides;
        problem.outStrides = {0, kDim, kHeads * kDim};
        problem.scale = 0.25F;
        problem.threads = 1;
    }

    /// Whether the output is v.
    [[nodiscard]] bool isCopied() const {
        const auto* v = static_cast<const float*>(problem.v);
        for (std::int64_t t = 0; t < kTokens; ++t)
            for (std::int64_t i = 0; i < kHeads * kDim; ++i)
                if (out[std::size_t(t * kHeads * kDim + i)] != v[t * 3 * kHeads * kDim + i]) return false;
        return true;
    }

    std::vector<float> own, out;
    AttentionProblem problem;
};

class APythonKernel : public testing::Test {
  protected:
    void SetUp() override {
        if (!findPython() || !runtimeOf(*findPython()))
            GTEST_SKIP() << "no Python 3.9 or later on this machine";
    }

    static std::string failureOf(const std::string& how) {
        PythonKernel kernel(described("faulty"));
        const std::vector<kernels::OptionValue> options{{"how", how}};
        Call call;
        call.problem.context.options = options;
        try {
            kernel.attend(call.problem);
        } catch (const Failure& failure) {
            return failure.error().message;
        }
        return "";
    }
};

TEST_F(APythonKernel, SaysWhatItIs) {
    const kernels::PluginDescription said = described("copying");
    EXPECT_EQ(said.name, "copying");
    EXPECT_EQ(said.title, "Gives back v where there are as many keys as queries");
    EXPECT_EQ(said.version, "0.2");
    EXPECT_TRUE(said.isFor(kernels::Device::Cpu) && !said.isFor(kernels::Device::Cuda));
    EXPECT_TRUE(said.takes(kernels::DataType::BFloat16) && !said.takes(kernels::DataType::Float16));
    EXPECT_EQ(said.sha256.size(), 64U);
    EXPECT_THAT(said.runtime, testing::StartsWith("Python 3."));
    EXPECT_TRUE(std::filesystem::path(said.interpreter).is_absolute());
    EXPECT_EQ(described("copying").runtime, said.runtime) << "which is kept";
    ASSERT_EQ(said.options.size(), 4U);
    EXPECT_EQ(said.options[0], (kernels::BackendOption{"window", "Tiles on each side", "3,3,3"}));
    EXPECT_EQ(said.options[1].value, "0.5");
    EXPECT_EQ(described("faulty").name, "faulty") << "which names itself after its file";
}

TEST_F(APythonKernel, IsRefusedWithWhatPythonSaid) {
    const auto errorOf = [](const std::string& name) {
        const auto said = describedBy(kernelFile(name));
        return said ? "" : said.error().message;
    };
    EXPECT_THAT(errorOf("unnamed"),
                HasSubstr("unnamed.py: it has no function attend(q, k, v, *, scale, causal"));
    EXPECT_THAT(errorOf("boundless"), HasSubstr("CLAIMED_L1 is nan: a finite number from 0 was needed"));
    EXPECT_THAT(errorOf("raising_as_imported"),
                HasSubstr("it can't be imported: ModuleNotFoundError: No module named 'no_such_module'"));
}

TEST_F(APythonKernel, IsRefusedForAWordOrANumberThatThereIsNot) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("reelgrid_misspelt_" + std::to_string(::getpid()) + ".py");
    const auto errorWith = [&](const std::string& line) {
        std::ofstream(file) << "\"\"\"Says what it takes\"\"\"\n"
                            << line << "\n\n\ndef attend(q, k, v, *, scale, causal, out):\n    pass\n";
        const auto said = describedBy(file);
        std::filesystem::remove(file);
        return said ? std::string() : said.error().message;
    };
    EXPECT_EQ(errorWith("DEVICES = (\"cpu\", \"cdua\")"),
              file.string() + ": DEVICES has 'cdua': one of cpu, cuda was needed");
    EXPECT_EQ(errorWith("DTYPES = (\"fp32\", \"bfloat16\")"),
              file.string() + ": DTYPES has 'bfloat16': one of fp32, bf16, fp16 was needed");
    EXPECT_EQ(errorWith("FEATURES = (\"casual\",)"),
              file.string() +
                  ": FEATURES has 'casual': one of causal, key_bias, shared_keys, log_sum_exp was needed");
    EXPECT_EQ(errorWith("FEATURES = (\"causal\", \"log_sum_exp\")"), "");
    // Neither could be written as a value of that option.
    EXPECT_EQ(errorWith("OPTIONS = {\"share\": float(\"nan\")}"),
              file.string() + ": OPTIONS['share'] is nan: finite numbers were needed");
    EXPECT_EQ(errorWith("OPTIONS = {\"window\": (3, float(\"inf\"))}"),
              file.string() + ": OPTIONS['window'] is (3, inf): finite numbers were needed");
}

TEST_F(APythonKernel, ComputesWhereTheTensorsLieAndElsewhere) {
    PythonKernel kernel(described("copying"));
    Call copied;
    EXPECT_EQ(kernel.whyNot(copied.problem), std::nullopt);
    kernel.attend(copied.problem);
    EXPECT_TRUE(copied.isCopied());
    SharedMemory& memory = *SharedMemory::ofProcess().value();
    void* block = memory.allocate(std::size_t{1} << 16);
    Call shared(Call::kTokens, static_cast<float*>(block));
    kernel.attend(shared.problem);
    EXPECT_TRUE(shared.isCopied());
    memory.free(block);
    // With something between the rows of its output.
    Call spread;
    std::vector<float> wide(std::size_t(Call::kTokens * 40), -7.0F);
    spread.problem.out = wide.data();
    spread.problem.outStrides.token = 40;
    kernel.attend(spread.problem);
    const auto* v = static_cast<const float*>(spread.problem.v);
    EXPECT_EQ(wide[40], v[3 * Call::kHeads * Call::kDim]);
    EXPECT_EQ(wide[39], -7.0F);
    EXPECT_LT(kernel.secondsBesideKernel().value(), 0.05);
}

TEST_F(APythonKernel, RefusesInItsOwnWords) {
    PythonKernel kernel(described("copying"));
    EXPECT_EQ(kernel.whyNot(Call(4).problem), "5 queries and 4 keys, as many were needed");
    const std::vector<kernels::OptionValue> options{{"count", "-1"}};
    Call call;
    call.problem.context.options = options;
    EXPECT_EQ(kernel.whyNot(call.problem), "its supports() gives no reason");
}

TEST_F(APythonKernel, IsToldWhichCallItIs) {
    PythonKernel kernel(described("copying"));
    const std::vector<kernels::OptionValue> options{{"window", "5,3,1"}, {"share", "0.25"}};
    Call call;
    call.problem.context = {.grid = {.frames = 1, .rows = 2, .columns = 2, .textBefore = 0, .textAfter = 1},
                            .module = "joint",
                            .branch = "unconditional",
                            .family = "sd35",
                            .layer = 7,
                            .step = 3,
                            .steps = 20,
                            .options = options};
    testing::internal::CaptureStderr();
    kernel.attend(call.problem);
    kernel.attend(Call().problem);
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_THAT(told,
                HasSubstr("called (1, 2, 5, 8) 0.25 False Grid(frames=1, height=2, width=2, text_before=0, "
                          "text_after=1) 7 3 20 unconditional joint sd35 {'window': (5, 3, 1), 'share': "
                          "0.25, 'word': 'all', 'count': 4}"));
    EXPECT_THAT(told,
                HasSubstr("called (1, 2, 5, 8) 0.25 False None None None None None None None {'window': (3, "
                          "3, 3), 'share': 0.5, 'word': 'all', 'count': 4}"));
}

TEST_F(APythonKernel, ThatGoesWrongIsNamedWithTheCallAndPythonsLastLines) {
    EXPECT_THAT(failureOf("raising"), AllOf(HasSubstr("plug-in faulty (" + kernelFile("faulty") +
                                                      "), in attend() of q [1, 2, 5, 8], k and v [1, "
                                                      "2, 5, 8] fp32, failed: ValueError: no tiles left"),
                                            HasSubstr("raise ValueError")));
    EXPECT_THAT(
        failureOf("crashing"),
        AllOf(HasSubstr("its Python was ended by signal 11 (Segmentation fault): "), HasSubstr("in attend")));
    EXPECT_THAT(failureOf("exiting"), HasSubstr("it called sys.exit(3)"));
    EXPECT_THAT(failureOf("ending"), HasSubstr("its Python ended with exit code 4"));
    EXPECT_THAT(failureOf("abandoning"), HasSubstr("its Python ended with exit code 5"));
    EXPECT_THAT(failureOf("returning"), HasSubstr("attend() returned list as output, None was needed"));
    EXPECT_THAT(failureOf("writing"), HasSubstr("cannot modify read-only memory"));
}

TEST_F(APythonKernel, IsStartedAgainWhereItHasEnded) {
    PythonKernel kernel(described("faulty"));
    const std::vector<kernels::OptionValue> ending{{"how", "ending"}}, leaving{{"how", "leaving"}};
    Call call;
    call.problem.context.options = ending;
    EXPECT_THROW(kernel.attend(call.problem), Failure);
    call.problem.context.options = leaving;
    kernel.attend(call.problem);
    EXPECT_TRUE(std::isnan(call.out[3])) << "which it left unwritten";
}

TEST(MemorySpans, HoldWhatOverlapsOnce) {
    const auto* memory = reinterpret_cast<const std::byte*>(std::uintptr_t{0x10040});
    const auto part = [&](std::int64_t at) { return TensorPlace{memory + at, {1, 1, 10, 4}, {0, 4, 12}, 4}; };
    std::uint64_t end = 0;
    const auto spans =
        spansOf({part(16), part(0), part(32), {memory + 4096, {1, 1, 2, 4}, {0, 0, 4}, 4}}, end);
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].bytes, 32U + 9 * 48 + 16);
    EXPECT_EQ(spans[0].offset % 256, 0x40U);
    EXPECT_EQ(offsetIn(spans, part(32)), spans[0].offset + 32);
    EXPECT_EQ(end, spans[1].offset + 32);
}

TEST(SharedMemory, IsTakenInPagesAndComesBack) {
    SharedMemory& memory = *SharedMemory::ofProcess().value();
    auto* first = static_cast<std::byte*>(memory.allocate(5000));
    auto* second = static_cast<std::byte*>(memory.allocate(std::size_t{300} << 20));
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_EQ(memory.offsetOf(first, 5000).value() % 4096, 0U);
    second[(std::size_t{300} << 20) - 1] = std::byte{1};
    int elsewhere = 0;
    EXPECT_EQ(memory.offsetOf(&elsewhere, 4), std::nullopt);
    memory.free(second);
    memory.free(first);
    EXPECT_EQ(memory.allocate(5000), first);
    memory.free(first);
    EXPECT_EQ(memory.allocate(memory.size() * 2), nullptr);
}

}  // namespace
}  // namespace reelgrid::plugins
