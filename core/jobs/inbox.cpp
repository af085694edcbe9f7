#include "core/jobs/inbox.h"

namespace reelgrid::jobs {
namespace {

bool isProgress(const Mail& mail) {
    const auto* said = std::get_if<WorkerSaid>(&mail);
    return said != nullptr && std::holds_alternative<protocol::JobProgress>(said->event);
}

}  // namespace

void Inbox::put(Mail mail) {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_mail.empty() && isProgress(m_mail.back()) && isProgress(mail))
            m_mail.back() = std::move(mail);
        else
            m_mail.push_back(std::move(mail));
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
