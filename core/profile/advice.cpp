#include "core/profile/advice.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "core/base/text_table.h"
#include "core/profile/figure_text.h"

namespace reelgrid::profile {
namespace {

/// From which share of the time on a group is worth a word.
constexpr double kMuch = 0.2, kMuchForCopies = 0.1;
constexpr double kIdle = 0.2, kBusy = 0.9;

double ratio(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// Whether the ranges are those of a render of ours, whose options can be named.
bool isOurs(const Summary& summary) {
    return !summary.placesOf(PlaceKind::Layer).empty() ||
           std::ranges::any_of(summary.rows, [](const Row& row) { return row.name == "decode"; });
}

/// Whether its inputs are [B, H, N, D], as torch's operator and our dispatcher take them; the ones inside of
/// it may have tokens before heads.
bool hasHeadsFirst(const Row& row) {
    return row.name.starts_with("aten::scaled_dot_product") ||
           ownGroup(EventKind::Range, row.name) == Group::Attention;
}

/// The row that stands for a group: an operator or range with its kernels, else a kernel. In attention one
/// whose inputs tell what was attended to.
const Row* largestOf(const Summary& summary, Group group) {
    const auto timeOf = [&](const Row& row) { return summary.hasDevice() ? row.totalDevice : row.totalHost; };
    const auto rank = [&](const Row& row) {
        return std::tuple(!row.onDevice, group == Group::Attention && hasHeadsFirst(row), timeOf(row));
    };
    const Row* largest = nullptr;
    for (const Row& row : summary.rows)
        if (row.group == group && timeOf(row) > 0 && (largest == nullptr || rank(row) > rank(*largest)))
            largest = &row;
    return largest;
}

/// "[1,12,1296,64][1,12,1296,64]…" as bench attention takes it, "1,12,1296,64"; nothing for other shapes.
std::optional<std::string> benchShape(const Row& row) {
    if (row.shapes.empty() || !hasHeadsFirst(row)) return std::nullopt;
    const std::string& text = row.shapes.front().first;
    std::vector<std::string> sizes;  // of the queries, then of the keys
    for (std::size_t at = 0; at < text.size() && sizes.size() < 2;) {
        const auto end = text.find(']', at);
        if (text[at] != '[' || end == std::string::npos) return std::nullopt;
        sizes.push_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    if (sizes.size() < 2 || std::ranges::count(sizes[0], ',') != 3 || std::ranges::count(sizes[1], ',') != 3)
        return std::nullopt;
    const auto lengthOf = [](const std::string& shape) {
        const auto third = shape.find(',', shape.find(',') + 1) + 1;
        return shape.substr(third, shape.find(',', third) - third);
    };
    const std::string keys = lengthOf(sizes[1]);
    return keys == lengthOf(sizes[0]) ? sizes[0] : sizes[0] + "," + keys;
}

/// Where most of a group's time is: "98.0 % of it in decode".
std::string stageText(const Summary& summary, Group group) {
    const Place* most = nullptr;
    const auto timeIn = [&](const Place& place) {
        return summary.timeOf(place.groups[static_cast<std::size_t>(group)]);
    };
    for (const Place* place : summary.placesOf(PlaceKind::Stage))
        if (most == nullptr || timeIn(*place) > timeIn(*most)) most = place;
    if (most == nullptr || timeIn(*most) == 0) return {};
    return ", " + shareText(timeIn(*most), summary.timeOf(summary.of(group))) + " of it in " + most->name;
}

std::string rowText(const Summary& summary, const Row& row) {
    const std::int64_t total = summary.hasDevice() ? row.totalDevice : row.totalHost;
    std::string text = cut(row.name, 60) + ": " + std::to_string(row.calls) + " calls, " + timeText(total);
    if (!row.shapes.empty())
        text +=
            ", inputs " + row.shapes.front().first +
            (row.shapes.size() > 1 ? " and " + std::to_string(row.shapes.size() - 1) + " other sizes" : "");
    return text;
}

std::string attentionAdvice(const Row* row) {
    std::string bench = "reelgrid-cli bench attention";
    if (row != nullptr)
        if (const auto shape = benchShape(*row)) bench += " --shape " + *shape;
    return "compare the backends on this shape (" + bench +
           ") and choose with --attention-type or "
           "--attention-policy";
}

std::string convolutionAdvice(const Summary& summary, const Row* row) {
    if (!isOurs(summary)) return "run the VAE in 16 bits or in tiles, or on fewer frames or pixels";
    if (summary.hasDevice()) return "--vae-dtype bf16 if the manifest says fp32, else fewer frames or pixels";
    if (row != nullptr && row->name == "reelgrid::winograd_conv")
        return "they are ReelGrid's own fp32 kernels already, the fastest on a CPU: fewer frames or pixels, "
               "or a GPU";
    return "these are libtorch's: with --vae-dtype fp32 and no REELGRID_CPU=scalar ReelGrid's own run on "
           "AVX2 "
           "and later, two to three times as fast";
}

std::string adviceFor(const Summary& summary, Group group, const Row* row) {
    const Spent& attention = summary.of(Group::Attention);
    switch (group) {
        case Group::Attention:
            return attentionAdvice(row);
        case Group::Products:
            return "--dtype bf16 if they are in fp32; an attention backend can change only the " +
                   shareText(summary.timeOf(attention), summary.base()) + " in attention";
        case Group::Convolutions:
            return convolutionAdvice(summary, row);
        case Group::Norms:
        case Group::Elementwise:
            return "bound by memory: fusing them or 16-bit values help, faster arithmetic doesn't";
        case Group::Copies:
            return "conversions of type or device, and values gathered anew (cat, clone): the ranges around "
                   "them in Perfetto show who asks; a copy to the host also waits for the device";
        case Group::HostWaits:
            return "results are read back inside the loop; the ranges around them in Perfetto show where";
        case Group::Other:
            break;
    }
    return "no operator is known to take it: look at the names below, and in Perfetto at what lies between "
           "them";
}

void addGroups(const Summary& summary, std::vector<Bottleneck>& found) {
    const Spent* most = &*std::ranges::max_element(summary.groups, {},
                                                   [&](const Spent& spent) { return summary.timeOf(spent); });
    for (const GroupInfo& info : kGroups) {
        const Spent& spent = summary.of(info.group);
        const std::int64_t time = summary.timeOf(spent);
        const double share = ratio(time, summary.base());
        const bool isMuch = share >= (info.group == Group::Copies ? kMuchForCopies : kMuch);
        if (time == 0 || (info.group == Group::HostWaits && summary.hasDevice()) ||
            (!isMuch && &spent != most))
            continue;
        const Row* row = largestOf(summary, info.group);
        found.push_back(
            {info.name, time, summary.base(),
             (row != nullptr ? rowText(summary, *row) : std::string()) + stageText(summary, info.group),
             adviceFor(summary, info.group, row)});
    }
}

/// Only where a device is: what the threads do beside it.
void addDevice(const Summary& summary, std::vector<Bottleneck>& found) {
    if (!summary.hasDevice() || summary.kernels == 0) return;
    const std::int64_t idle = summary.deviceSpan - summary.deviceBusy;
    const double busy = ratio(summary.deviceBusy, summary.deviceSpan);
    const auto mean = summary.device / static_cast<std::int64_t>(summary.kernels);
    if (1 - busy >= kIdle)
        found.push_back({"idle device", idle, summary.deviceSpan,
                         std::to_string(summary.kernels) + " kernels of " + timeText(mean) + " on average",
                         "the host doesn't keep up: record the steps as CUDA graphs (--use-torch-compile; in "
                         "PyTorch torch.compile(mode=\"reduce-overhead\")), or wait for it less"});
    const std::int64_t waits = summary.of(Group::HostWaits).host;
    if (ratio(waits, summary.host) < kMuchForCopies) return;
    const Row* row = nullptr;
    for (const Row& each : summary.rows)
        if (each.group == Group::HostWaits && (row == nullptr || each.selfHost > row->selfHost)) row = &each;
    const std::string evidence =
        row == nullptr ? ""
                       : row->name + ": " + std::to_string(row->calls) + " calls, " + timeText(row->selfHost);
    found.push_back({"host waits", waits, summary.host, evidence,
                     busy >= kBusy
                         ? "the device is busy " + shareText(summary.deviceBusy, summary.deviceSpan) +
                               " of its time, so waiting for it costs nothing"
                         : adviceFor(summary, Group::HostWaits, row)});
}

}  // namespace

std::vector<Bottleneck> bottlenecksOf(const Summary& summary) {
    std::vector<Bottleneck> found;
    if (summary.base() <= 0) return found;
    addGroups(summary, found);
    addDevice(summary, found);
    std::ranges::stable_sort(found, std::greater<>(),
                             [](const Bottleneck& each) { return ratio(each.time, each.whole); });
    return found;
}

}  // namespace reelgrid::profile
