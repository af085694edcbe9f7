#include "core/parallel/rank_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"

namespace reelgrid::parallel {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kBeat{500};
/// A machine whose processors are all busy keeps a beat back for a while.
constexpr std::chrono::seconds kSilence{8};
/// In which a rank that lives beats more than once.
constexpr std::chrono::milliseconds kLook{1600};

std::string keyOf(const char* what, int rank) {
    return std::string(what) + "/" + std::to_string(rank);
}

/// Why a rank ended, for the others; the first word counts.
void leaveEnd(RankStore& store, int rank, const Error& why, bool told) {
    const std::string key = keyOf("end", rank);
    if (store.get(key)) return;
    store.put(key, printJson(json{{"code", nameOf(why.code)}, {"message", why.message}, {"told", told}}));
}

}  // namespace

RankWatch::RankWatch(RankStore& store, int rank, int ranks)
    : m_store(store), m_rank(rank), m_ranks(ranks), m_heard(static_cast<std::size_t>(ranks)) {
    for (Heard& heard : m_heard) heard.at = Clock::now();
    m_teller = std::jthread([this](const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        while (!stop.stop_requested()) {
            lock.unlock();
            try {
                tell();
            } catch (const Failure&) {
                return;  // the store is gone: whoever waits for others finds it out
            }
            lock.lock();
            m_changed.wait_for(lock, stop, kBeat, [] { return false; });
        }
    });
}

RankWatch::~RankWatch() {
    m_teller.request_stop();
}

void RankWatch::tell() {
    std::string beat;
    {
        const std::lock_guard lock(m_mutex);
        beat = printJson(json{{"beat", ++m_beats}, {"moments", m_moments}, {"moment", m_moment}});
    }
    m_store.put(keyOf("beat", m_rank), beat);
}

void RankWatch::at(const std::string& moment) {
    const std::lock_guard lock(m_mutex);
    m_moment = moment;
    ++m_moments;
}

void RankWatch::ended(RankStore& store, int rank, const Error& why, Told told) {
    leaveEnd(store, rank, why, told == Told::Yes);
}

bool RankWatch::hasEnded(RankStore& store, int rank) {
    return store.get(keyOf("end", rank)).has_value();
}

void RankWatch::ends(const Error& why) {
    try {
        tell();
        // What another one is to blame for is told as its end.
        if (!blamed()) leaveEnd(m_store, m_rank, why, m_rank == 0);
    } catch (const Failure&) {
        // Nobody is there to be told.
    }
}

/// "rank 2 on gpu-host, step 7 of 20"; the step is this rank's where the other one's isn't known any more.
std::string RankWatch::whereIs(int rank) {
    std::string words = "rank " + std::to_string(rank), moment;
    if (static_cast<std::size_t>(rank) < m_hosts.size())
        words += " on " + m_hosts[static_cast<std::size_t>(rank)];
    try {
        const auto beat = m_store.get(keyOf("beat", rank));
        if (const auto told = beat ? parseJson(*beat, "beat") : Result<json>(json());
            told && told->is_object())
            moment = told->value("moment", std::string());
    } catch (const Failure&) {
        const std::lock_guard lock(m_mutex);
        moment = m_moment;
    }
    return moment.empty() ? words : words + ", " + moment;
}

void RankWatch::blame(int rank, ErrorCode code, const std::string& what) {
    m_blamed = rank;
    throw Failure(code, whereIs(rank) + ": " + what);
}

/// Of several that ended the first one: others may have ended for its sake.
void RankWatch::throwEnded() {
    for (int rank = 0; rank < m_ranks; ++rank) {
        const auto end = rank == m_rank ? std::nullopt : m_store.get(keyOf("end", rank));
        if (!end) continue;
        const auto told = parseJson(*end, "end");
        if (!told || !told->is_object()) continue;
        const ErrorCode code = errorCodeFromName(told->value("code", std::string()));
        const std::string message = told->value("message", std::string());
        m_isTold = told->value("told", false);
        if (code != ErrorCode::Cancelled) blame(rank, code, message);
        m_blamed = rank;
        throw Failure(code, message);
    }
}

void RankWatch::listen() {
    const auto now = Clock::now();
    for (int rank = 0; rank < m_ranks; ++rank) {
        Heard& heard = m_heard[static_cast<std::size_t>(rank)];
        if (rank == m_rank) continue;
        auto beat = m_store.get(keyOf("beat", rank)).value_or("");
        heard.isSilent = beat == heard.beat;
        if (heard.isSilent) continue;
        heard = {std::move(beat), now, false};
    }
}

void RankWatch::check() {
    const std::lock_guard lock(m_looking);
    try {
        throwEnded();
        listen();
    } catch (const Failure&) {
        if (m_blamed) throw;
        blame(0, ErrorCode::Internal, "it ended or can't be reached any more");
    }
    for (int rank = 0; rank < m_ranks; ++rank)
        if (rank != m_rank && Clock::now() - m_heard[static_cast<std::size_t>(rank)].at > kSilence)
            blame(rank, ErrorCode::Internal,
                  "it has said nothing for " + std::to_string(kSilence.count()) + " s");
}

void RankWatch::explain(const std::string& otherwise) {
    const std::lock_guard lock(m_looking);
    try {
        throwEnded();
        listen();
        const auto until = Clock::now() + kLook;
        while (Clock::now() < until) {
            std::this_thread::sleep_for(kBeat / 2);
            throwEnded();
        }
        // Heard before the look and not since.
        listen();
    } catch (const Failure&) {
        if (m_blamed) throw;
        blame(0, ErrorCode::Internal, "it ended or can't be reached any more");
    }
    for (int rank = 0; rank < m_ranks; ++rank)
        if (rank != m_rank && m_heard[static_cast<std::size_t>(rank)].isSilent)
            blame(rank, ErrorCode::Internal, "it ended or can't be reached any more");
    throw Failure(ErrorCode::Internal, whereIs(m_rank) + ": " + otherwise);
}

void RankWatch::explainWaiting(std::chrono::milliseconds waited) {
    const std::lock_guard lock(m_looking);
    check();
    std::optional<std::pair<std::uint64_t, int>> slowest;
    for (int rank = 0; rank < m_ranks; ++rank) {
        if (rank == m_rank) continue;
        const auto told = parseJson(m_heard[static_cast<std::size_t>(rank)].beat, "beat");
        const auto moments = told && told->is_object() ? told->value("moments", std::uint64_t{0}) : 0;
        if (!slowest || moments < slowest->first) slowest = {moments, rank};
    }
    blame(slowest ? slowest->second : m_rank, ErrorCode::Internal,
          "others have waited for it for " + std::to_string(waited.count() / 1000) + " s (--rank-timeout)");
}

}  // namespace reelgrid::parallel
