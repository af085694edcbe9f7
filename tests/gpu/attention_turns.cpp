#include "tests/gpu/attention_turns.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <random>

namespace reelgrid {
namespace {

constexpr double kLongWindow = 60, kShortWindow = 10;  // milliseconds: calls below one don't heat the card
constexpr int kRounds = 7;

double millisecondsOfOne(const execution::Execution& gpu, const attention::Inputs& in, Contender& contender,
                         int calls) {
    const c10::impl::VirtualGuardImpl guard(gpu.device.type());
    c10::Event begin(gpu.device.type(), c10::EventFlag::BACKEND_DEFAULT),
        end(gpu.device.type(), c10::EventFlag::BACKEND_DEFAULT);
    begin.record(guard.getStream(gpu.device));
    for (int i = 0; i < calls; ++i) (void)contender.dispatcher->attend(in, {attention::ModuleKind::Self, 0});
    end.record(guard.getStream(gpu.device));
    end.synchronize();
    return begin.elapsedTime(end) / calls;
}

}  // namespace

void timeInTurns(const execution::Execution& gpu, const attention::Inputs& in,
                 std::vector<Contender>& contenders) {
    std::mt19937 order(1);
    for (Contender& contender : contenders) {
        contender.milliseconds.clear();
        (void)millisecondsOfOne(gpu, in, contender, 2);
    }
    for (int round = 0; round < kRounds; ++round) {
        std::shuffle(contenders.begin(), contenders.end(), order);
        for (Contender& contender : contenders) {
            const double one = millisecondsOfOne(gpu, in, contender, 1);
            const int calls = std::max(1, static_cast<int>((one < 1 ? kShortWindow : kLongWindow) / one));
            (void)millisecondsOfOne(gpu, in, contender, (calls + 2) / 3);
            contender.milliseconds.push_back(millisecondsOfOne(gpu, in, contender, calls));
        }
    }
    std::ranges::sort(contenders, {}, &Contender::name);
    for (Contender& contender : contenders) std::ranges::sort(contender.milliseconds);
}

}  // namespace reelgrid
