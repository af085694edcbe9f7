#include "core/jobs/forecasts.h"

#include <utility>

namespace reelgrid::jobs {

void Forecasts::send(RunningWorker& worker) {
    for (ForecastQuestion& question : std::exchange(m_waiting, {})) {
        const std::string id = "forecast-" + std::to_string(++m_number);
        if (auto sent = worker.send(protocol::ForecastCommand{id, question.request}); !sent)
            question.told(sent.error());
        else
            m_asked.emplace(id, std::move(question));
    }
}

bool Forecasts::answer(const std::string& id, const Result<protocol::RenderForecast>& forecast) {
    const auto asked = m_asked.extract(id);
    if (asked.empty()) return false;
    asked.mapped().told(forecast);
    return true;
}

void Forecasts::askAgain() {
    for (auto& [id, question] : std::exchange(m_asked, {})) m_waiting.push_back(std::move(question));
}

void Forecasts::fail(const Error& why) {
    askAgain();
    for (const ForecastQuestion& question : std::exchange(m_waiting, {})) question.told(why);
}

}  // namespace reelgrid::jobs
