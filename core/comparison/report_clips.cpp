#include "core/comparison/report_clips.h"

#include <cstdint>
#include <span>

#include "core/base/base64.h"
#include "core/base/pending_file.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/html.h"
#include "core/comparison/svg_chart.h"

namespace reelgrid::comparison {
namespace {

// What a browser opens at once, and what can be sent to somebody.
constexpr std::size_t kLargestClip = std::size_t{32} << 20;
constexpr std::size_t kLargestPage = std::size_t{128} << 20;

/// Empty for what browsers don't play.
std::string mediaType(const std::filesystem::path& clip) {
    const std::string ending = clip.extension().string();
    return ending == ".mp4" ? "video/mp4" : ending == ".webm" ? "video/webm" : "";
}

/// The clip's bytes as an address; empty where there are too many, or none to be had.
std::string dataAddress(const std::filesystem::path& clip, std::size_t& room) {
    const std::string type = mediaType(clip);
    if (type.empty()) return {};
    const auto bytes = readFile(clip, std::min(kLargestClip, room));
    if (!bytes || bytes->empty()) return {};
    room -= bytes->size();
    const std::span text(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
    return "data:" + type + ";base64," + toBase64(text);
}

// All begin at the start, and a person who moves one of them moves all.
constexpr const char* kPlayTogether =
    "<p><button type=\"button\" id=\"together\">Play together</button></p><script>"
    "(()=>{const all=[...document.querySelectorAll('.clips video')];let by=null;"
    "document.getElementById('together').onclick=e=>{const on=e.target.textContent==='Play together';"
    "e.target.textContent=on?'Pause':'Play together';"
    "all.forEach(v=>{if(on){v.currentTime=all[0].currentTime;v.play()}else v.pause()})};"
    "all.forEach(v=>v.addEventListener('seeking',()=>{if(by&&by!==v)return;by=v;"
    "all.forEach(o=>{if(o!==v)o.currentTime=v.currentTime});setTimeout(()=>by=null,50)}))})()</script>";

std::string insideClips(const Report& report) {
    std::string figures;
    std::size_t room = kLargestPage;
    int count = 0;
    const std::vector<Rgb> colors = colorsOf(report.entries);
    for (std::size_t i = 0; i < report.entries.size(); ++i) {
        const Entry& entry = report.entries[i];
        if (entry.error) continue;
        const std::string address = dataAddress(entry.clip, room);
        if (address.empty()) continue;
        ++count;
        figures += "<figure><video controls loop muted playsinline src=\"" + address +
                   "\"></video><figcaption style=\"border-color:" + cssColor(colors[i]) + "\">" +
                   escaped(entry.caption.text()) + "</figcaption></figure>";
    }
    if (count == 0) return {};
    return "<div class=\"clips\">" + figures + "</div>" + (count > 1 ? kPlayTogether : "");
}

}  // namespace

std::string clipsSection(const Report& report) {
    std::string html = insideClips(report);
    html += "<p>Files: ";
    if (!report.grid.empty())
        html += "<a href=\"" + link(report.grid, report.folder) + "\">all in one grid</a> ";
    for (const Entry& entry : report.entries)
        if (!entry.error)
            html += "<a href=\"" + link(entry.clip, report.folder) + "\">" + escaped(entry.caption.text()) +
                    "</a> ";
    html += "</p>";
    for (const Entry& entry : report.entries)
        if (entry.error)
            html += "<p class=\"failed\">" + escaped(entry.caption.backend + ": " + entry.error->message) +
                    "</p>";
    return html;
}

}  // namespace reelgrid::comparison
