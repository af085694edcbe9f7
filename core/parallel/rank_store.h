#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/parallel/rank_place.h"

namespace reelgrid::parallel {

/// Words that ranks leave for one another: c10d's TCPStore. May be used by several threads. Everything throws
/// Failure(Internal) once whoever serves the store is gone.
class RankStore {
  public:
    struct Handle;  ///< c10d's, in store_handle.h

    /// Throws Failure naming the address where nobody answered in that time.
    static std::unique_ptr<RankStore> join(const RankPlace& place, std::chrono::milliseconds timeout);
    /// For ranks of this host, which this process starts; at a port that is free.
    static std::unique_ptr<RankStore> serve();
    ~RankStore();
    RankStore(const RankStore&) = delete;
    RankStore& operator=(const RankStore&) = delete;

    void put(const std::string& key, const std::string& value);
    [[nodiscard]] std::optional<std::string> get(const std::string& key);

    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] const Handle& handle() const { return *m_handle; }
    /// What all keys of this attempt begin with.
    [[nodiscard]] const std::string& prefix() const { return m_prefix; }

  private:
    RankStore(std::unique_ptr<Handle> handle, int attempt);
    std::unique_ptr<Handle> m_handle;
    std::string m_prefix;
};

}  // namespace reelgrid::parallel
