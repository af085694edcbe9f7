#include "core/parallel/rank_store.h"

#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "core/parallel/store_handle.h"

namespace reelgrid::parallel {
namespace {

/// Longer than an answer of a store that is there takes.
constexpr std::chrono::seconds kAnswerTimeout{10};

c10d::TCPStoreOptions storeOptions(std::uint16_t port, bool serves, std::chrono::milliseconds timeout) {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.isServer = serves;
    options.waitWorkers = false;
    options.timeout = timeout;
    return options;
}

/// The first line of what c10d says.
std::string whyOf(const std::exception& failure) {
    const std::string message = failure.what();
    return message.substr(0, message.find('\n'));
}

/// c10d logs stack traces of what is told here in one line; whoever wants them sets its own variable.
void quietLog() {
    constexpr int kFatal = 3;
    if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatal;
}

}  // namespace

RankStore::RankStore(std::unique_ptr<Handle> handle, int attempt)
    : m_handle(std::move(handle)), m_prefix("reelgrid/" + std::to_string(attempt) + "/") {
    m_handle->store->setTimeout(kAnswerTimeout);
}
RankStore::~RankStore() = default;

std::unique_ptr<RankStore> RankStore::join(const RankPlace& place, std::chrono::milliseconds timeout) {
    quietLog();
    const bool serves = place.rank == 0 && place.store == RankPlace::Store::OfRankZero;
    try {
        auto store =
            c10::make_intrusive<c10d::TCPStore>(place.address, storeOptions(place.port, serves, timeout));
        return std::unique_ptr<RankStore>(
            new RankStore(std::make_unique<Handle>(std::move(store)), place.attempt));
    } catch (const std::exception& failure) {
        throw Failure(ErrorCode::Internal,
                      "rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks) + ": " +
                          (serves ? "can't listen at " : "nobody answers at ") + place.address + " port " +
                          std::to_string(place.port) + " (MASTER_ADDR, MASTER_PORT): " + whyOf(failure));
    }
}

std::unique_ptr<RankStore> RankStore::serve() {
    quietLog();
    try {
        auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", storeOptions(0, true, kAnswerTimeout));
        return std::unique_ptr<RankStore>(new RankStore(std::make_unique<Handle>(std::move(store)), 0));
    } catch (const std::exception& failure) {
        throw Failure(ErrorCode::Internal, "can't listen for ranks at 127.0.0.1: " + whyOf(failure));
    }
}

void RankStore::put(const std::string& key, const std::string& value) {
    try {
        m_handle->store->set(m_prefix + key, std::vector<std::uint8_t>(value.begin(), value.end()));
    } catch (const std::exception& failure) {
        throw Failure(ErrorCode::Internal, "the ranks' store is gone: " + whyOf(failure));
    }
}

std::optional<std::string> RankStore::get(const std::string& key) {
    try {
        if (!m_handle->store->check({m_prefix + key})) return std::nullopt;
        const std::vector<std::uint8_t> value = m_handle->store->get(m_prefix + key);
        return std::string(value.begin(), value.end());
    } catch (const std::exception& failure) {
        throw Failure(ErrorCode::Internal, "the ranks' store is gone: " + whyOf(failure));
    }
}

std::uint16_t RankStore::port() const {
    return m_handle->store->getPort();
}

}  // namespace reelgrid::parallel
