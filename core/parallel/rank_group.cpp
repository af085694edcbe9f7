#include "core/parallel/rank_group.h"

#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace reelgrid::parallel {
namespace {

std::vector<int> everyRank(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::string hostName() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

}  // namespace

RankGroup::RankGroup(const RankPlace& place, std::chrono::milliseconds timeout)
    : m_place(place),
      m_timeout(timeout),
      m_store(RankStore::join(place, timeout)),
      m_watch(*m_store, place.rank, place.ranks),
      m_deviceWatch(m_watch, timeout),
      m_all(std::make_unique<Communicator>(*this, "all", everyRank(place.ranks))) {
    m_watch.setHosts(m_all->gather(hostName()));
}

Mesh& RankGroup::mesh(const Degrees& degrees) {
    if (degrees.ranks() != ranks())
        throw Failure(ErrorCode::BadUsage, degrees.text() + " are " + std::to_string(degrees.ranks()) +
                                               " ranks: " + std::to_string(ranks()) +
                                               ", as many as there are, were needed");
    auto& mesh = m_meshes[{degrees.cfg, degrees.ring, degrees.ulysses}];
    if (!mesh) mesh = std::make_unique<Mesh>(*this, degrees);
    return *mesh;
}

void RankGroup::agreeOnExchange(at::Device device) {
    using nlohmann::json;
    const ExchangeOffer mine = exchangeOffer(device, hostName());
    const json told{{"asked", mine.asked}, {"obstacle", mine.obstacle}, {"gpu", mine.gpu}};
    std::vector<ExchangeOffer> offers;
    for (const std::string& text : m_all->gather(printJson(told))) {
        const json offer = parseJson(text, "a rank's GPU").value();
        offers.push_back({offer.at("asked").get<std::string>(), offer.at("obstacle").get<std::string>(),
                          offer.at("gpu").get<std::string>()});
    }
    const std::string why = whyHostMemory(offers);
    m_exchange = why.empty() ? ExchangeChoice{deviceExchange(), ""} : ExchangeChoice{nullptr, why};
}

void RankGroup::setStop(std::stop_token asked) {
    m_alone.reset();
    m_asked = std::move(asked);
    m_agreed = std::stop_source();
}

void RankGroup::stopAlone() {
    m_alone.emplace(m_asked, [this] { m_agreed.request_stop(); });
}

void RankGroup::agreeOnStop() {
    m_alone.reset();
    if (m_all->largest({m_asked.stop_requested() ? 1.0 : 0.0}).front() > 0) m_agreed.request_stop();
}

}  // namespace reelgrid::parallel
