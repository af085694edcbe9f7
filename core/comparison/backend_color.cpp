#include "core/comparison/backend_color.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>

#include "kernels/backends/backend_list.h"

namespace reelgrid::comparison {
namespace {

struct Known {
    std::string_view backend;
    Rgb color;
};
constexpr std::array kKnown{
    Known{"sdpa", {0xc3, 0xcb, 0xd9}},     Known{"fav2", {0x4f, 0x9c, 0xf9}},
    Known{"sagev1", {0xf5, 0xa9, 0x3b}},   Known{"fav3", {0x4c, 0xc3, 0x8a}},
    Known{"fav3_fp8", {0xa7, 0x8b, 0xfa}}, Known{"fav3_sage", {0xf2, 0x7d, 0xb5}},
    Known{"sla", {0x3c, 0xc8, 0xc8}},      Known{"cudnn", {0xa3, 0xd1, 0x4e}},
    Known{"sagesla", {0x6a, 0xa9, 0xb8}},  Known{"sagev2", {0xd9, 0x84, 0x2f}},
    Known{"sparge", {0xc6, 0xd8, 0x5f}},   Known{"sta", {0x86, 0xd6, 0xbf}},
    Known{"radial", {0xd1, 0x8f, 0xd8}},   Known{"reference", {0xd8, 0xb4, 0x8c}},
};
constexpr std::array<Rgb, 6> kSpare{{{0x7d, 0xc4, 0xe4},
                                     {0xe6, 0x8a, 0x6b},
                                     {0x9c, 0xd0, 0x8f},
                                     {0xc7, 0x9b, 0xf0},
                                     {0xe5, 0xc0, 0x6e},
                                     {0x8f, 0xa8, 0xf2}}};

const Rgb* knownColor(std::string_view backend) {
    for (const Known& known : kKnown)
        if (known.backend == backend) return &known.color;
    return nullptr;
}

std::size_t preferredPlaceOf(std::string_view backend) {
    // Not std::hash: it may differ from build to build.
    std::uint32_t sum = 0;
    for (const char letter : backend) sum = sum * 31 + static_cast<unsigned char>(letter);
    return sum % kSpare.size();
}

/// Backends of the list have a colour each, as long as there are any left: one whose place is taken by one
/// before it gets the next.
std::size_t sparePlaceOf(std::string_view backend) {
    std::set<std::size_t> taken;
    for (const kernels::BackendInfo& listed : kernels::backends()) {
        if (knownColor(listed.name) != nullptr || taken.size() == kSpare.size()) continue;
        std::size_t place = preferredPlaceOf(listed.name);
        while (taken.contains(place)) place = (place + 1) % kSpare.size();
        if (listed.name == backend) return place;
        taken.insert(place);
    }
    return preferredPlaceOf(backend);
}

}  // namespace

Rgb backendColor(const std::string& backend) {
    const std::string_view plain = std::string_view(backend).substr(0, backend.find('+'));
    if (const Rgb* known = knownColor(plain)) return *known;
    return kSpare[sparePlaceOf(plain)];
}

Rgb colorBeside(const std::string& backend, std::span<const Rgb> others) {
    const std::string_view plain = std::string_view(backend).substr(0, backend.find('+'));
    const bool isListed = std::ranges::any_of(
        kernels::backends(), [&](const kernels::BackendInfo& listed) { return listed.name == plain; });
    const Rgb own = backendColor(backend);
    if (isListed || knownColor(plain) != nullptr) return own;
    const auto isFree = [&](const Rgb& color) { return std::ranges::find(others, color) == others.end(); };
    const std::size_t preferred = preferredPlaceOf(plain);
    for (std::size_t i = 0; i < kSpare.size(); ++i)
        if (const Rgb& color = kSpare[(preferred + i) % kSpare.size()]; isFree(color)) return color;
    for (const Known& known : kKnown)
        if (isFree(known.color)) return known.color;
    return own;
}

std::string cssColor(const Rgb& color) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "#%02x%02x%02x", unsigned{color.red}, unsigned{color.green},
                  unsigned{color.blue});
    return text.data();
}

}  // namespace reelgrid::comparison
