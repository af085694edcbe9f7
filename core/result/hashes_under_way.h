#pragma once

#include <future>
#include <map>
#include <stop_token>
#include <string>

#include "core/result/model_hashes.h"

namespace reelgrid::result {

/// A model's hashes, made while it is loaded and, on a GPU, while it renders: reading tens of gigabytes once
/// more takes longer than loading them.
class HashesUnderWay {
  public:
    /// `hasher` outlives this.
    HashesUnderWay(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                   ComponentHasher& hasher);
    HashesUnderWay(const HashesUnderWay&) = delete;
    HashesUnderWay& operator=(const HashesUnderWay&) = delete;
    /// Stops where nobody waited.
    ~HashesUnderWay();

    /// Whether wait() has nothing to wait for.
    [[nodiscard]] bool ready() const;

    /// Once. modelHashes()'s errors.
    Result<std::map<std::string, std::string>> wait();

  private:
    std::stop_source m_stop;
    std::future<Result<std::map<std::string, std::string>>> m_hashes;
};

}  // namespace reelgrid::result
