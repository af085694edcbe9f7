#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/profile/trace.h"

namespace reelgrid::profile {

/// What an event's time is spent on, as users think of it.
enum class Group { Attention, Products, Convolutions, Norms, Elementwise, Copies, HostWaits, Other };

struct GroupInfo {
    Group group;
    const char* name;  ///< in tables and JSON
};
inline constexpr std::array kGroups{
    GroupInfo{Group::Attention, "attention"},       GroupInfo{Group::Products, "matrix products"},
    GroupInfo{Group::Convolutions, "convolutions"}, GroupInfo{Group::Norms, "norms"},
    GroupInfo{Group::Elementwise, "elementwise"},   GroupInfo{Group::Copies, "copies"},
    GroupInfo{Group::HostWaits, "host waits"},      GroupInfo{Group::Other, "other"},
};
inline constexpr std::size_t kGroupCount = kGroups.size();

const char* nameOf(Group group);

/// By the event's own name; nothing when that doesn't tell.
std::optional<Group> ownGroup(EventKind kind, std::string_view name);

/// Of an event inside another one: what runs within an attention, a convolution or a norm is part of it.
Group groupWithin(Group outer, std::optional<Group> own);

/// A place in a render that a range names.
enum class PlaceKind { Stage, Step, Layer };
std::optional<PlaceKind> placeOf(EventKind kind, std::string_view name);

}  // namespace reelgrid::profile
