#include "core/comparison/html.h"

#include <cctype>
#include <cmath>
#include <string_view>

#include "core/base/number_text.h"
#include "core/base/printable.h"

namespace reelgrid::comparison {

namespace {
constexpr const char* kUnmeasured = "–";
}

std::string escaped(const std::string& plain) {
    std::string html;
    for (const char letter : printable(plain)) {
        switch (letter) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            case '\'':
                html += "&#39;";
                break;
            default:
                html += letter;
        }
    }
    return html;
}

const char* pageStyle() {
    return "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
           "1rem;color:#222}"
           "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .7rem;border-bottom:1px solid "
           "#ddd;"
           "text-align:right}th:first-child,td:first-child,.text{text-align:left}dt{font-weight:600;margin-"
           "top:."
           "7rem}"
           "th{border-bottom:2px solid #888}"
           "svg{width:100%;height:auto;font:12px system-ui,sans-serif}video{width:100%;display:block}"
           ".clips{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:.8rem}"
           "figure{margin:0}figcaption{border-left:.6rem solid;padding-left:.5rem;margin-top:.2rem}"
           ".note{color:#555}.failed{color:#b00020}summary{cursor:pointer}";
}

std::string cell(const std::string& content) {
    return "<td>" + escaped(content) + "</td>";
}

std::string textCell(const std::string& content) {
    return "<td class=\"text\">" + escaped(content) + "</td>";
}

std::string number(const std::optional<double>& value, int decimals, const std::string& unit) {
    return value && std::isfinite(*value) ? fixed(*value, decimals) + unit : kUnmeasured;
}

std::string link(const std::filesystem::path& file, const std::filesystem::path& folder) {
    std::string url;
    for (const char letter : file.lexically_relative(folder).generic_string()) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain =
            std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos;
        constexpr const char* kDigits = "0123456789ABCDEF";
        if (plain)
            url += letter;
        else
            url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return url;
}

}  // namespace reelgrid::comparison
