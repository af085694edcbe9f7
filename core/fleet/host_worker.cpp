#include "core/fleet/host_worker.h"

#include <csignal>
#include <utility>

#include "core/protocol/result_paths.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;

/// How long a network may take nothing.
constexpr auto kSendPatience = std::chrono::seconds(60);
constexpr const char* kPluginOption = "--backend-plugin";

}  // namespace

HostWorker::HostWorker(const Host& host, std::shared_ptr<result::ComponentHasher> hasher,
                       jobs::WorkerListener listener)
    : m_name(host.name()),
      m_hasher(std::move(hasher)),
      m_listener(std::move(listener)),
      m_outgoing([this](const std::string& line) { return sendLine(line); }, m_hasher) {}

Result<std::unique_ptr<HostWorker>> HostWorker::start(const Host& host, std::vector<std::string> arguments,
                                                      std::shared_ptr<result::ComponentHasher> hasher,
                                                      jobs::WorkerListener listener) {
    std::unique_ptr<HostWorker> worker(new HostWorker(host, std::move(hasher), std::move(listener)));
    const HostCommand command = commandOn(host, {"worker", "--remote"});
    HostWorker* const self = worker.get();
    auto process = jobs::LineProcess::start({command.program, command.arguments},
                                            {[self](const std::string& line) { return self->take(line); },
                                             [self](const std::string& how) {
                                                 self->forgetResult();
                                                 self->m_listener.exited("the connection " + how);
                                             }});
    if (!process) return process.error();
    worker->m_process = *std::move(process);
    if (!arguments.empty()) arguments.erase(arguments.begin());  // "worker"
    (void)worker->put(WorkerBegins{std::move(arguments)});
    worker->m_sender = std::thread([self] { self->sendLetters(); });
    return worker;
}

HostWorker::~HostWorker() {
    HostWorker::end();
}

void HostWorker::end() {
    {
        const std::lock_guard lock(m_mutex);
        m_isEnded = true;
    }
    m_changed.notify_all();
    // srun ends its job's step when it is asked to; what is killed can't.
    m_process->signal(SIGTERM);
    m_process->endWithin(std::chrono::seconds(2));
    if (m_sender.joinable()) m_sender.join();
    forgetResult();
}

void HostWorker::forgetResult() {
    const std::lock_guard lock(m_resultMutex);
    m_result.reset();
}

void HostWorker::removePartialFiles(const fs::path& clip) {
    forgetResult();
    std::error_code failed;
    fs::remove(protocol::resultFolderOf(clip), failed);  // where nothing is in it
}

Result<void> HostWorker::put(Letter letter) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_isEnded) return Error{ErrorCode::Io, "the connection has ended"};
        m_letters.push_back(std::move(letter));
    }
    m_changed.notify_all();
    return {};
}

Result<void> HostWorker::send(const protocol::WorkerCommand& command) {
    if (const auto* cancel = std::get_if<protocol::CancelCommand>(&command)) {
        const std::lock_guard lock(m_mutex);
        m_cancelled = cancel->id;
    }
    return put(command);
}

void HostWorker::tellTimeIsUp() {
    (void)put(TimeIsUp{});
}

// ── the sender's thread
// ─────────────────────────────────────────────────────────────────────────────────────

void HostWorker::sendLetters() {
    while (true) {
        Letter letter = TimeIsUp{};
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_isEnded || !m_letters.empty(); });
            if (m_isEnded) return;
            letter = std::move(m_letters.front());
            m_letters.pop_front();
        }
        if (deliver(letter)) continue;
        // The connection takes nothing more: its end says what has become of it.
        m_process->signal(SIGTERM);
    }
}

Result<void> HostWorker::deliver(Letter& letter) {
    if (const auto* begins = std::get_if<WorkerBegins>(&letter)) return begin(*begins);
    if (const auto* wanted = std::get_if<protocol::WorkerCommand>(&letter))
        if (const auto* cancel = std::get_if<protocol::CancelCommand>(wanted)) {
            const std::lock_guard lock(m_mutex);
            if (m_cancelled == cancel->id) m_cancelled.clear();
        }
    if (std::holds_alternative<TimeIsUp>(letter)) return sendLine(toLine(TimeIsUp{}));
    auto& command = std::get<protocol::WorkerCommand>(letter);
    if (auto* one = std::get_if<protocol::RenderCommand>(&command)) return render(std::move(*one));
    if (auto* question = std::get_if<protocol::ForecastCommand>(&command)) {
        const auto sent = m_outgoing.sendFilesOf(question->request, [](const auto&) {});
        if (!sent) {
            m_listener.event(protocol::JobFailed{question->id, sent.error()});
            return {};
        }
    }
    return sendLine(toLine(command));
}

Result<void> HostWorker::begin(const WorkerBegins& begins) {
    WorkerBegins there;
    for (std::size_t i = 0; i < begins.arguments.size(); ++i) {
        const bool isPlugin = begins.arguments[i] == kPluginOption && i + 1 < begins.arguments.size();
        if (!isPlugin) {
            there.arguments.push_back(begins.arguments[i]);
            continue;
        }
        const fs::path file = begins.arguments[++i];
        if (file.extension() == ".json") continue;  // obstacleTo() says of those that they stay
        auto sent = m_outgoing.send(file, {}, [](const auto&) {});
        if (!sent) return sent.error();
        there.arguments.emplace_back(kPluginOption);
        there.arguments.push_back(*std::move(sent));
    }
    return sendLine(toLine(there));
}

Result<void> HostWorker::render(protocol::RenderCommand command) {
    {
        auto result = ArrivingResult::create(command.request, m_name);
        if (!result) {
            m_listener.event(protocol::JobFailed{command.id, result.error()});
            return {};
        }
        const std::lock_guard lock(m_resultMutex);
        m_result.emplace(*std::move(result));
    }
    const auto told = [&](const protocol::RenderProgress& now) {
        m_listener.event(protocol::JobProgress{command.id, now});
    };
    m_sending = command.id;
    const auto sent = m_outgoing.sendFilesOf(command.request, told);
    m_sending.clear();
    if (isCancelled(command.id)) {
        forgetResult();
        m_listener.event(protocol::JobCancelled{command.id});
        return {};
    }
    if (!sent) {
        forgetResult();
        m_listener.event(protocol::JobFailed{command.id, sent.error()});
        return {};
    }
    // What a render left unfinished here is not there.
    command.request.resume = false;
    return sendLine(toLine(protocol::WorkerCommand(std::move(command))));
}

bool HostWorker::isCancelled(const std::string& job) {
    const std::lock_guard lock(m_mutex);
    return m_cancelled == job;
}

Result<void> HostWorker::sendLine(const std::string& line) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_isEnded) return Error{ErrorCode::Io, "the connection has ended"};
        if (!m_sending.empty() && m_cancelled == m_sending) return Error{ErrorCode::Cancelled, "cancelled"};
    }
    return m_process->send(line, kSendPatience);
}

// ── the reader's thread
// ─────────────────────────────────────────────────────────────────────────────────────

Result<void> HostWorker::take(const std::string& line) {
    auto message = channelMessageFrom(line);
    if (!message) return message.error().in("sent what is not the protocol");
    if (*message) return takeFile(**message);
    auto event = protocol::eventFromLine(line);
    if (!event) return event.error().in("sent what is not the protocol");
    if (const auto* done = std::get_if<protocol::JobDone>(&*event)) {
        finish(*done);
        return {};
    }
    const bool isOver = std::holds_alternative<protocol::JobFailed>(*event) ||
                        std::holds_alternative<protocol::JobCancelled>(*event);
    if (isOver) forgetResult();
    m_listener.event(*std::move(event));
    return {};
}

Result<void> HostWorker::takeFile(ChannelMessage& message) {
    const std::lock_guard lock(m_resultMutex);
    if (!m_result) return Error{ErrorCode::InvalidData, "sent a file of no job"};
    Result<void> taken = Error{ErrorCode::InvalidData, "sent what only it is told"};
    if (auto* file = std::get_if<FileBegins>(&message)) taken = m_result->begin(std::move(*file));
    if (const auto* piece = std::get_if<FilePiece>(&message)) taken = m_result->add(piece->bytes);
    return taken;
}

void HostWorker::finish(const protocol::JobDone& done) {
    Result<void> placed = Error{ErrorCode::Internal, "it sent the end of no job"};
    std::string clip;
    {
        const std::lock_guard lock(m_resultMutex);
        if (m_result) {
            clip = m_result->request().output;
            placed = m_result->commit();
        }
        m_result.reset();
    }
    if (placed)
        m_listener.event(protocol::JobDone{done.id, clip});
    else
        m_listener.event(protocol::JobFailed{done.id, placed.error()});
}

}  // namespace reelgrid::fleet
