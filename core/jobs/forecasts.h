#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "core/jobs/worker_transport.h"
#include "core/protocol/render_forecast.h"

namespace reelgrid::jobs {

using ForecastTold = std::function<void(const Result<protocol::RenderForecast>&)>;

/// Somebody wants to know what a request would take.
struct ForecastQuestion {
    protocol::RenderRequest request;
    ForecastTold told;
};

/// The questions that one lane's worker is to answer. The queue's thread alone; answers are told on it.
class Forecasts {
  public:
    void add(ForecastQuestion question) { m_waiting.push_back(std::move(question)); }
    [[nodiscard]] bool areWaiting() const { return !m_waiting.empty(); }

    /// Asks the worker all that wait.
    void send(RunningWorker& worker);
    /// The worker's answer to the command of that id; false: that was no question.
    bool answer(const std::string& id, const Result<protocol::RenderForecast>& forecast);
    /// The worker is gone: the next one is asked what it has not answered.
    void askAgain();
    /// Nobody will answer: an error for all who have asked until now.
    void fail(const Error& why);

  private:
    std::deque<ForecastQuestion> m_waiting;
    std::map<std::string, ForecastQuestion> m_asked;  ///< of the worker, by the command's id
    std::uint64_t m_number = 0;
};

}  // namespace reelgrid::jobs
