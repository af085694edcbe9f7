// What isn't a plug-in of this version, in the way that BAD says (tests/plugins/CMakeLists.txt).
#include <reelgrid/attention_backend.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <thread>

enum Bad {
    CrashesAsLoaded,
    HangsAsLoaded,
    ExitsAsLoaded,
    OfAnotherAbi,
    TooSmall,
    BadlyNamed,
    NamedAsOurs,
    WithoutRun,
    ClaimsNan,
    OfTheFirstAbi,
    MisnamesItsOption,
    OfUnknownDevices,
    OfUnknownTypes,
    WithUnknownFeatures,
    WithoutEnd,
    LeavesAProcess,
    RoundsUpAsLoaded,
    EndsTheProcess
};

namespace {

int32_t doNothing(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    return 0;
}

/// Past all that could see it.
int32_t endTheProcess(const reelgrid_backend*, const reelgrid_call*, char*, size_t) {
    syscall(SYS_exit_group, 0);
    return 0;
}

/// As a compile server would: it has this process's output.
void leaveAProcess() {
    if (fork() != 0) return;
    sleep(60);
    _exit(0);
}

reelgrid_backend made() {
    reelgrid_backend backend{};
    backend.size = BAD == TooSmall ? 64 : sizeof backend;
    backend.abi = BAD == OfTheFirstAbi ? 1 : REELGRID_BACKEND_ABI;
    if (BAD == OfTheFirstAbi) backend.size = offsetof(reelgrid_backend, options);
    static const reelgrid_option option{"a.b", "", "1"};
    backend.options = &option;  // which lies behind the end of the first ABI's
    backend.option_count = BAD == OfTheFirstAbi || BAD == MisnamesItsOption ? 1 : 0;
    backend.devices = REELGRID_BIT(REELGRID_CPU);
    backend.dtypes = REELGRID_BIT(REELGRID_FP32);
    if (BAD == OfUnknownDevices) backend.devices |= REELGRID_BIT(2);
    if (BAD == OfUnknownTypes) backend.dtypes |= REELGRID_BIT(3);
    if (BAD == WithUnknownFeatures) backend.features = REELGRID_CAUSAL | 16;
    backend.max_head_dim = BAD == LeavesAProcess ? 256 : 64;  // whose kernel is to run
    backend.head_dim_multiple = 1;
    backend.name = BAD == BadlyNamed ? "../mine" : BAD == NamedAsOurs ? "fav2" : "mine";
    backend.title = "Mine";
    if (BAD == ClaimsNan) backend.claimed_l1 = NAN;
    backend.run = BAD == WithoutRun ? nullptr : BAD == EndsTheProcess ? endTheProcess : doNothing;
    return backend;
}

}  // namespace

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index) {
    if (BAD == CrashesAsLoaded) std::abort();
    if (BAD == RoundsUpAsLoaded) std::fesetround(FE_UPWARD);
    if (BAD == HangsAsLoaded) std::this_thread::sleep_for(std::chrono::hours(1));
    if (BAD == ExitsAsLoaded) std::exit(0);
    if (BAD == OfAnotherAbi || (BAD == OfTheFirstAbi && abi != 1)) return nullptr;
    static const reelgrid_backend backend = made();
    if (BAD == LeavesAProcess && index == 0) leaveAProcess();
    return index == 0 || BAD == WithoutEnd ? &backend : nullptr;
}
