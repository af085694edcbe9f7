#include "core/profile/row_order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace reelgrid::profile {
namespace {

std::int64_t averageOf(std::int64_t total, const Row& row) {
    return row.calls == 0 ? 0 : total / static_cast<std::int64_t>(row.calls);
}

struct Order {
    std::string_view key;
    std::int64_t (*of)(const Row& row);
};
constexpr std::array kOrders{
    Order{"self_cpu_time_total", [](const Row& row) { return row.selfHost; }},
    Order{"cpu_time_total", [](const Row& row) { return row.totalHost; }},
    Order{"cpu_time", [](const Row& row) { return averageOf(row.totalHost, row); }},
    Order{"self_device_time_total", [](const Row& row) { return row.selfDevice; }},
    Order{"device_time_total", [](const Row& row) { return row.totalDevice; }},
    Order{"device_time", [](const Row& row) { return averageOf(row.totalDevice, row); }},
    Order{"count", [](const Row& row) { return static_cast<std::int64_t>(row.calls); }},
};

std::string ofAnyDevice(std::string key) {
    for (const std::string_view device : {"cuda", "xpu"})
        if (const auto at = key.find(device); at != std::string::npos)
            return key.replace(at, device.size(), "device");
    return key;
}

}  // namespace

std::vector<std::string> rowOrders() {
    std::vector<std::string> keys;
    for (const Order& order : kOrders) keys.emplace_back(order.key);
    return keys;
}

Result<void> sortRows(Summary& summary, const std::string& key) {
    const auto order = std::ranges::find(kOrders, ofAnyDevice(key), &Order::key);
    if (order == kOrders.end()) {
        std::string keys;
        for (const Order& each : kOrders) keys += (keys.empty() ? "" : ", ") + std::string(each.key);
        return Error{ErrorCode::BadUsage, "--sort " + key + ": one of " + keys + " was needed"};
    }
    std::ranges::stable_sort(summary.rows,
                             [&](const Row& a, const Row& b) { return order->of(a) > order->of(b); });
    return {};
}

}  // namespace reelgrid::profile
