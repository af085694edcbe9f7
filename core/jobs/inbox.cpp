#include "core/jobs/inbox.h"

namespace reelgrid::jobs {
namespace {

/// Null where it is no progress.
WorkerSaid* progressIn(Mail& mail) {
    auto* said = std::get_if<WorkerSaid>(&mail);
    return said != nullptr && std::holds_alternative<protocol::JobProgress>(said->event) ? said : nullptr;
}

}  // namespace

/// Puts progress in the place of the same worker's earlier progress, if nothing else came after that.
bool Inbox::replaceEarlier(Mail& mail) {
    WorkerSaid* newer = progressIn(mail);
    if (newer == nullptr) return false;
    for (auto each = m_mail.rbegin(); each != m_mail.rend(); ++each) {
        WorkerSaid* earlier = progressIn(*each);
        if (earlier == nullptr) return false;
        if (earlier->lane != newer->lane || earlier->worker != newer->worker) continue;
        earlier->event = std::move(newer->event);
        return true;
    }
    return false;
}

void Inbox::put(Mail mail) {
    {
        const std::lock_guard lock(m_mutex);
        if (!replaceEarlier(mail)) m_mail.push_back(std::move(mail));
    }
    m_arrived.notify_one();
}

std::optional<Mail> Inbox::take(Deadline deadline) {
    std::unique_lock lock(m_mutex);
    const auto arrived = [this] { return !m_mail.empty(); };
    if (deadline) {
        if (!m_arrived.wait_until(lock, *deadline, arrived)) return std::nullopt;
    } else {
        m_arrived.wait(lock, arrived);
    }
    Mail mail = std::move(m_mail.front());
    m_mail.pop_front();
    return mail;
}

}  // namespace reelgrid::jobs
