#include "app/cli/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/json.h"
#include "core/base/number_text.h"

namespace reelgrid::cli {

void fillClosedStreams() {
    for (const auto& [stream, mode] : {std::pair{STDIN_FILENO, O_RDONLY}, std::pair{STDOUT_FILENO, O_RDONLY},
                                       std::pair{STDERR_FILENO, O_WRONLY}})
        if (fcntl(stream, F_GETFD) == -1) {
            // The lowest number that is free is this one.
            [[maybe_unused]] const int opened = open("/dev/null", mode);
        }
}

void say(const std::string& line) {
    std::fprintf(stderr, "%s\n", printable(line).c_str());
}

void sayIdle(const std::string& option, const std::string& why) {
    say("note: " + option + " decides nothing here: " + why);
}

int fail(const Error& error) {
    std::string message = error.message;
    // One line, whatever a library put into it.
    std::replace(message.begin(), message.end(), '\n', ' ');
    say("reelgrid-cli: " + message);
    return exitCodeOf(error.code);
}

int printResult(const std::string& result) {
    const std::string text = printable(result);
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    const bool ended = text.ends_with('\n') || std::fputc('\n', stdout) != EOF;
    if (written && ended && std::fflush(stdout) == 0) return 0;
    if (errno == EPIPE) {  // as `| head` ends other programs
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    return fail({ErrorCode::Io, std::string("can't write the result to stdout: ") + std::strerror(errno)});
}

int printResult(const nlohmann::json& document) {
    return printResult(printJsonIndented(document));
}

std::string indented(const std::string& words, std::size_t indent) {
    constexpr std::size_t kColumns = 100;
    std::string text;
    std::size_t column = kColumns;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        if (column + 1 + word.size() > kColumns) {
            text += "\n" + std::string(indent, ' ');
            column = indent;
        } else {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
    }
    return text;
}

std::string clockTime(double seconds) {
    const long whole = std::lround(std::clamp(seconds, 0.0, 359999.0));
    std::array<char, 32> text{};
    if (whole < 3600)
        std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
    else
        std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    return text.data();
}

}  // namespace reelgrid::cli
