// Backends that go wrong, one a name, each as real kernels do.
#include <fcntl.h>
#include <reelgrid/attention_backend.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::int64_t elements(const reelgrid_call* c) {
    return c->batch * c->query_heads * c->queries * c->head_dim;
}

/// The values of what the output should not be, but may be: zeros.
void zero(const reelgrid_call* c) {
    std::memset(c->out, 0, std::size_t(elements(c)) * (c->dtype == REELGRID_FP32 ? 4 : 2));
}

using Run = int32_t (*)(const reelgrid_backend*, const reelgrid_call*, char*, size_t);

int32_t giveZeros(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    return 0;
}
int32_t crash(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
    return 0;
}
int32_t hang(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
}
int32_t exitIt(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    std::exit(0);
}
int32_t quit(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    _exit(0);
}
int32_t print(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    std::puts("{\"mine\": 1}");
    return 0;
}
/// A process of its own that ends as such processes do, and no output.
int32_t forkOnly(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    zero(c);
    return 0;
}
int32_t stop(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    raise(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
}
int32_t terminate(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    kill(getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
}
int32_t closeEverything(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    for (int file = 0; file < 1024; ++file) close(file);
    zero(c);
    return 0;
}
int32_t closeAllButStreams(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    for (int file = 3; file < 300; ++file) close(file);
    zero(c);
    return 0;
}
int32_t exchangeAllButStreams(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    const int nothing = open("/dev/null", O_RDWR);
    for (int file = 3; file < 64; ++file)
        if (file != nothing) dup2(nothing, file);
    zero(c);
    return 0;
}
int32_t forbidFiles(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    zero(c);
    return 0;
}
int32_t leaveRowsUnwritten(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    if (c->dtype == REELGRID_FP32) std::memset(c->out, 0, std::size_t(elements(c)) * 2);
    return 0;
}
int32_t writePastTheEnd(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    static_cast<char*>(c->out)[elements(c) * (c->dtype == REELGRID_FP32 ? 4 : 2)] = 1;
    return 0;
}
int32_t writeToKeys(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    std::memset(const_cast<void*>(c->k), 0, 8);
    return 0;
}
/// As a kernel goes wrong that was right when it was first tried.
int32_t writeToKeysLater(const reelgrid_backend* backend, const reelgrid_call* c, char* error, size_t size) {
    static int calls = 0;
    return calls++ == 0 ? giveZeros(backend, c, error, size) : writeToKeys(backend, c, error, size);
}
int32_t writeToKeyBias(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    const_cast<float*>(c->key_bias)[0] += 1;
    return 0;
}
int32_t roundUpAfterwards(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
#pragma omp parallel
    std::fesetround(FE_UPWARD);
    return 0;
}
int32_t overflowItsStack(const reelgrid_backend* backend, const reelgrid_call* c, char* error, size_t size) {
    volatile char large[65536];
    large[c->queries % sizeof large] = 1;
    return overflowItsStack(backend, c, error, size) + large[0];
}
int32_t throwALongLog(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    throw std::runtime_error(std::string(100000, 'x'));
}
int32_t writePastTheWorkspace(const reelgrid_backend*, const reelgrid_call* c, char*, size_t) {
    zero(c);
    static_cast<char*>(c->workspace)[c->workspace_bytes] = 1;
    return 0;
}
int32_t throwIt(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    throw std::runtime_error("no tiles left");
}
int32_t fail(const reelgrid_backend*, const reelgrid_call*, char* error, size_t size) {
    std::snprintf(error, size, "the tile is\ntoo large");
    return 7;
}
/// Half of what it asks for is enough to see that it got it.
int32_t useWorkspace(const reelgrid_backend*, const reelgrid_call* c, char* error, size_t size) {
    if (c->workspace == nullptr || c->workspace_bytes != 4096 ||
        reinterpret_cast<std::uintptr_t>(c->workspace) % 64 != 0) {
        std::snprintf(error, size, "no workspace");
        return 1;
    }
    std::memset(c->workspace, 0xFF, c->workspace_bytes);
    zero(c);
    return 0;
}

/// Says which call it was.
int32_t tell(const reelgrid_backend*, const reelgrid_call* c, char* error, size_t size) {
    std::snprintf(error, size, "%lldx%lldx%lld+%lld layer %d step %d of %d %s %s %s",
                  static_cast<long long>(c->frames), static_cast<long long>(c->rows),
                  static_cast<long long>(c->columns), static_cast<long long>(c->text_before + c->text_after),
                  c->layer, c->step, c->steps, c->module, c->branch, c->family);
    for (int i = 0; i < c->options; ++i) {
        const size_t used = std::strlen(error);
        std::snprintf(error + used, size - used, " %s=%s", c->option_values[i].key,
                      c->option_values[i].value);
    }
    return 1;
}

int32_t refuse(const reelgrid_backend*, const reelgrid_call* c, char* reason, size_t size) {
    std::snprintf(reason, size, "%lld keys, needs an odd number", static_cast<long long>(c->keys));
    return c->keys % 2;
}
int32_t refuseLater(const reelgrid_backend*, const reelgrid_call*, char* reason, size_t size) {
    static int calls = 0;
    std::snprintf(reason, size, "not again");
    return calls++ == 0 ? 1 : 0;
}
uint64_t pageOfWorkspace(const reelgrid_backend*, const reelgrid_call*) {
    return 4096;
}
uint64_t moreThanThereIs(const reelgrid_backend*, const reelgrid_call*) {
    return std::uint64_t{1} << 39;
}

reelgrid_backend named(const char* name, Run run) {
    reelgrid_backend backend{};
    backend.size = sizeof backend;
    backend.abi = REELGRID_BACKEND_ABI;
    backend.devices = REELGRID_BIT(REELGRID_CPU);
    backend.dtypes = REELGRID_BIT(REELGRID_FP32) | REELGRID_BIT(REELGRID_BF16);
    backend.max_head_dim = 256;
    backend.head_dim_multiple = 1;
    backend.name = name;
    backend.title = "Goes wrong";
    backend.description = "For tests.";
    backend.version = "0.1";
    backend.run = run;
    return backend;
}

}  // namespace

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index) {
    static reelgrid_backend backends[] = {named("crashing", crash),
                                          named("hanging", hang),
                                          named("leaving", leaveRowsUnwritten),
                                          named("overrunning", writePastTheEnd),
                                          named("meddling", writeToKeys),
                                          named("throwing", throwIt),
                                          named("failing", fail),
                                          named("choosy", giveZeros),
                                          named("roomy", useWorkspace),
                                          named("exiting", exitIt),
                                          named("terminating", terminate),
                                          named("closing", closeEverything),
                                          named("telling", tell),
                                          named("cramped", writePastTheWorkspace),
                                          named("greedy", giveZeros),
                                          named("biased", writeToKeyBias),
                                          named("relapsing", writeToKeysLater),
                                          named("rounding", roundUpAfterwards),
                                          named("overflowing", overflowItsStack),
                                          named("verbose", throwALongLog),
                                          named("quitting", quit),
                                          named("forking", forkOnly),
                                          named("stopping", stop),
                                          named("printing", print),
                                          named("sealing", closeAllButStreams),
                                          named("starving", forbidFiles),
                                          named("wavering", giveZeros),
                                          named("exchanging", exchangeAllButStreams)};
    constexpr uint32_t kChoosy = 7, kRoomy = 8, kTelling = 12, kCramped = 13, kGreedy = 14, kBiased = 15,
                       kWavering = 26;
    static const reelgrid_option options[] = {{"window", "Tiles on each side", "3,3,3"},
                                              {"share", "", "0.5"}};
    backends[kTelling].options = options;
    backends[kTelling].option_count = 2;
    backends[kChoosy].supports = refuse;
    backends[kWavering].supports = refuseLater;
    backends[kRoomy].workspace_bytes = pageOfWorkspace;
    backends[kCramped].workspace_bytes = pageOfWorkspace;
    backends[kGreedy].workspace_bytes = moreThanThereIs;
    backends[kBiased].features = REELGRID_KEY_BIAS;
    return abi == REELGRID_BACKEND_ABI && index < sizeof backends / sizeof *backends ? &backends[index]
                                                                                     : nullptr;
}
