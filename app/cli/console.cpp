#include "app/cli/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
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

namespace {

/// Of U+2028 to U+202E and U+2066 to U+2069, which break lines and turn the direction of the text behind
/// them, so that a name reads as another: the last two digits of the code point; 0: none of them begins
/// there.
unsigned directionMarkAt(const std::string& text, std::size_t at) {
    if (text.compare(at, 1, "\xE2") != 0 || at + 2 >= text.size()) return 0;
    const auto second = static_cast<unsigned char>(text[at + 1]),
               third = static_cast<unsigned char>(text[at + 2]);
    if (second == 0x80 && third >= 0xA8 && third <= 0xAE) return third - 0x80U;
    if (second == 0x81 && third >= 0xA6 && third <= 0xA9) return third - 0x40U;
    return 0;
}

}  // namespace

std::string printable(const std::string& text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const unsigned mark = directionMarkAt(text, at); mark != 0) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u20%02x", mark);
            shown += escape.data();
            at += 2;
            continue;
        }
        auto control = static_cast<unsigned char>(text[at]);
        // U+0080 to U+009F are two bytes, of which the second is the code point.
        const bool isC1 = control == 0xC2 && at + 1 < text.size() &&
                          (static_cast<unsigned char>(text[at + 1]) & 0xE0) == 0x80;
        if (isC1) control = static_cast<unsigned char>(text[++at]);
        if (!isC1 && control != 0x7F && (control >= ' ' || control == '\n' || control == '\t')) {
            shown += text[at];
            continue;
        }
        std::array<char, 8> escape{};
        std::snprintf(escape.data(), escape.size(), "\\u%04x", control);
        shown += escape.data();
    }
    return shown;
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
