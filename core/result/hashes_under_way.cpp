#include "core/result/hashes_under_way.h"

#include <chrono>

namespace reelgrid::result {

HashesUnderWay::HashesUnderWay(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                               ComponentHasher& hasher)
    : m_hashes(std::async(std::launch::async, [model, settings, &hasher, stop = m_stop.get_token()] {
          return modelHashes(model, settings, hasher, stop);
      })) {}

HashesUnderWay::~HashesUnderWay() {
    m_stop.request_stop();  // the future waits for the thread
}

bool HashesUnderWay::ready() const {
    return m_hashes.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

Result<std::map<std::string, std::string>> HashesUnderWay::wait() {
    return m_hashes.get();
}

}  // namespace reelgrid::result
