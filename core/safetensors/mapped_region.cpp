#include "core/safetensors/mapped_region.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <utility>

#include "core/base/signal_write.h"

namespace reelgrid::safetensors {
namespace {

enum class Place { Free, Taken, Known };

/// A signal handler sees only what is lock-free and static.
struct Region {
    std::atomic<Place> place{Place::Free};
    const char* begin = nullptr;
    std::size_t size = 0;
    std::string* line = nullptr;
};
static_assert(std::atomic<Place>::is_always_lock_free);

constexpr int kMostRegions = 1024;
std::array<Region, kMostRegions> theRegions;
struct sigaction theFormerAction {};

void answer(int signal, siginfo_t* info, void* /*context*/) {
    const auto* address = static_cast<const char*>(info->si_addr);
    const bool isTouch = info->si_code > 0;  // and not a signal that somebody sent
    for (const Region& region : theRegions) {
        if (!isTouch) break;
        if (region.place.load(std::memory_order_acquire) != Place::Known) continue;
        if (address < region.begin || address >= region.begin + region.size) continue;
        writeFromHandler(*region.line);
        _exit(1);
    }
    // A touch is tried again and a signal comes again, and are answered as before.
    sigaction(SIGBUS, &theFormerAction, nullptr);
    if (!isTouch) raise(signal);
}

void installOnce() {
    static const bool installed = [] {
        struct sigaction action {};
        action.sa_sigaction = answer;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        return sigaction(SIGBUS, &action, &theFormerAction) == 0;
    }();
    static_cast<void>(installed);
}

}  // namespace

MappedRegion::MappedRegion(const void* begin, std::size_t size, const std::filesystem::path& file)
    : m_place(-1) {
    installOnce();
    for (int i = 0; i < kMostRegions && m_place < 0; ++i) {
        Region& region = theRegions[std::size_t(i)];
        Place expected = Place::Free;
        if (!region.place.compare_exchange_strong(expected, Place::Taken)) continue;
        region.begin = static_cast<const char*>(begin);
        region.size = size;
        region.line =
            new std::string("reelgrid: " + file.string() +
                            ": it was cut short, or can't be read any longer, while it was used: the " +
                            std::to_string(size) + " bytes that it had were needed\n");
        region.place.store(Place::Known, std::memory_order_release);
        m_place = i;
    }
}

MappedRegion::~MappedRegion() {
    if (m_place < 0) return;
    Region& region = theRegions[std::size_t(m_place)];
    region.place.store(Place::Taken);
    delete std::exchange(region.line, nullptr);
    region.place.store(Place::Free, std::memory_order_release);
}

}  // namespace reelgrid::safetensors
