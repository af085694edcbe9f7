#include "core/fleet/host.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/base/pending_file.h"
#include "core/devices/device_name.h"

namespace reelgrid::fleet {
namespace {

constexpr const char* kHere = "here";
constexpr std::string_view kSsh = "ssh://", kSlurm = "slurm:";
constexpr int kMostLanes = 64, kMostPort = 65535;
constexpr std::size_t kMostHosts = 256, kMostFileBytes = std::size_t{1} << 20;
constexpr std::array<std::string_view, 9> kSrunOptions{
    "account", "constraint", "cpus-per-task", "gpus", "mem", "nodelist", "qos", "reservation", "time"};

std::vector<std::string> splitAt(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

int numberIn(const std::string& text, int most) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return isWhole && number >= 1 && number <= most ? number : 0;
}

/// Names of hosts, users and partitions: nothing that a shell or an option's parser would read otherwise.
bool isPlainName(std::string_view name) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.front() != '-' && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool isHostName(std::string_view name) {
    const bool isIpv6 = name.size() > 2 && name.front() == '[' && name.back() == ']' &&
                        name.find_first_not_of("0123456789abcdefABCDEF:.[]") == std::string_view::npos;
    return isIpv6 || isPlainName(name);
}

class Reader {
  public:
    explicit Reader(std::string text) { m_host.text = std::move(text); }

    Result<Host> read() {
        const auto question = m_host.text.find('?');
        readPlace(m_host.text.substr(0, question));
        if (question != std::string::npos)
            for (const std::string& part : splitAt(std::string_view(m_host.text).substr(question + 1), '&'))
                readChoice(part);
        if (!m_wrong.empty()) return Error{ErrorCode::BadUsage, "host " + m_host.text + ": " + m_wrong};
        return m_host;
    }

  private:
    void wrong(const std::string& why) {
        if (m_wrong.empty()) m_wrong = why;
    }

    void readPlace(const std::string& place) {
        if (place == kHere) return;
        if (place.starts_with(kSsh)) return readSsh(place.substr(kSsh.size()));
        if (!place.starts_with(kSlurm)) return wrong("here, ssh://user@host or slurm:partition was needed");
        m_host.via = Host::Via::Slurm;
        m_host.target = place.substr(kSlurm.size());
        if (!m_host.target.empty() && !isPlainName(m_host.target)) wrong("a partition's name was needed");
    }

    void readSsh(std::string place) {
        m_host.via = Host::Via::Ssh;
        std::string user;
        if (const auto at = place.rfind('@'); at != std::string::npos) {
            user = place.substr(0, at);
            place.erase(0, at + 1);
            if (!isPlainName(user)) return wrong("a user's name was needed before the @");
        }
        const auto colon = place.rfind(':');
        if (colon != std::string::npos && place.find(']', colon) == std::string::npos) {
            m_host.port = numberIn(place.substr(colon + 1), kMostPort);
            if (m_host.port == 0) return wrong("a port from 1 to 65535 was needed");
            place.erase(colon);
        }
        if (!isHostName(place)) return wrong("a host's name was needed");
        if (place.front() == '[') place = place.substr(1, place.size() - 2);
        m_host.target = user.empty() ? place : user + "@" + place;
    }

    void readChoice(const std::string& part) {
        const auto equals = part.find('=');
        const std::string key = part.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
        const bool isPrintable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c != '\x7f'; });
        if (value.empty() || !isPrintable) return wrong(key + ": a value was needed");
        if (key == "device") return readDevices(value);
        if (key == "lanes") {
            m_host.lanes = numberIn(value, kMostLanes);
            if (m_host.lanes == 0) wrong("lanes=" + value + ": a number from 1 to 64 was needed");
        } else if (key == "program" && m_host.via != Host::Via::Here) {
            m_host.program = value;
        } else if (m_host.via == Host::Via::Slurm &&
                   std::ranges::find(kSrunOptions, key) != kSrunOptions.end()) {
            m_host.srunOptions.emplace_back(key, value);
        } else {
            wrong(key + ": " + choices() + " was needed");
        }
    }

    void readDevices(const std::string& value) {
        m_host.devices = splitAt(value, ',');
        for (const std::string& device : m_host.devices)
            if (const auto named = devices::deviceNamed(device); !named)
                wrong("device=" + device + ": cpu, cuda or cuda:N was needed");
    }

    [[nodiscard]] std::string choices() const {
        if (m_host.via == Host::Via::Here) return "device or lanes";
        if (m_host.via == Host::Via::Ssh) return "device, lanes or program";
        std::string text = "device, lanes, program";
        for (const std::string_view option : kSrunOptions)
            text += (option == kSrunOptions.back() ? " or " : ", ") + std::string(option);
        return text;
    }

    Host m_host;
    std::string m_wrong;
};

/// As one word of a POSIX shell, which OpenSSH hands the command to.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

HostCommand sshCommand(const Host& host, const std::vector<std::string>& arguments) {
    HostCommand command{
        "ssh",
        {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5", "-o",
         "ServerAliveCountMax=3", "-o", "ForwardX11=no", "-o", "LogLevel=ERROR"}};
    if (host.port != 0) {
        command.arguments.emplace_back("-p");
        command.arguments.push_back(std::to_string(host.port));
    }
    command.arguments.emplace_back("--");
    command.arguments.push_back(host.target);
    std::string line = "exec " + quoted(host.program);
    for (const std::string& argument : arguments) line += " " + quoted(argument);
    command.arguments.push_back(line);
    return command;
}

HostCommand srunCommand(const Host& host, const std::vector<std::string>& arguments) {
    HostCommand command{"srun", {"--quiet", "--ntasks=1", "--job-name=reelgrid", "--unbuffered"}};
    if (!host.target.empty()) command.arguments.push_back("--partition=" + host.target);
    for (const auto& [option, value] : host.srunOptions)
        command.arguments.push_back("--" + option + "=" + value);
    command.arguments.push_back(host.program);
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    return command;
}

}  // namespace

std::string Host::name() const {
    return text.substr(0, text.find('?'));
}

Result<Host> hostNamed(const std::string& text) {
    return Reader(text).read();
}

Result<std::vector<Host>> readHosts(const std::filesystem::path& file) {
    const auto text = readFile(file, kMostFileBytes);
    if (!text) return text.error();
    return hostsNamed(*text, file.string());
}

Result<std::vector<Host>> hostsNamed(const std::string& lines, const std::string& what) {
    std::vector<Host> hosts;
    int number = 0;
    for (std::string line : splitAt(lines, '\n')) {
        ++number;
        line.erase(std::min(line.find('#'), line.size()));
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        auto host = hostNamed(line);
        if (!host) return host.error().in(what + ", line " + std::to_string(number));
        hosts.push_back(*std::move(host));
    }
    if (hosts.empty() || hosts.size() > kMostHosts)
        return Error{ErrorCode::BadUsage, what + ": it names " + std::to_string(hosts.size()) +
                                              " hosts; 1 to 256 were needed, one a line"};
    return hosts;
}

HostCommand commandOn(const Host& host, const std::vector<std::string>& arguments) {
    return host.via == Host::Via::Ssh ? sshCommand(host, arguments) : srunCommand(host, arguments);
}

}  // namespace reelgrid::fleet
