#include "core/hub/hub_access.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/pending_file.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPublicEndpoint = "https://huggingface.co";
constexpr std::size_t kMostTokenBytes = 4096;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

fs::path userHome() {
    const std::string home = variable("HOME");
    return home.empty() ? "." : home;
}

/// A folder or file that a variable names, "~/models" of the user's home; empty: it names none.
fs::path place(const char* name) {
    const std::string path = variable(name);
    if (path != "~" && !path.starts_with("~/")) return path;
    return userHome() / path.substr(std::min<std::size_t>(2, path.size()));
}

fs::path hubHome() {
    if (fs::path home = place("HF_HOME"); !home.empty()) return home;
    const fs::path caches = place("XDG_CACHE_HOME");
    return (caches.empty() ? userHome() / ".cache" : caches) / "huggingface";
}

std::string trimmed(std::string text) {
    const auto isSpace = [](unsigned char letter) { return std::isspace(letter) != 0; };
    text.erase(std::find_if_not(text.rbegin(), text.rend(), isSpace).base(), text.end());
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), isSpace));
    return text;
}

std::string storedToken() {
    const fs::path path = place("HF_TOKEN_PATH");
    const auto token = readFile(path.empty() ? hubHome() / "token" : path, kMostTokenBytes);
    return token ? trimmed(*token) : "";
}

bool isTrue(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return std::toupper(letter); });
    return text == "1" || text == "TRUE" || text == "YES" || text == "ON";
}

}  // namespace

HubAccess HubAccess::fromEnvironment() {
    HubAccess access;
    access.endpoint = variable("HF_ENDPOINT");
    if (access.endpoint.empty()) access.endpoint = kPublicEndpoint;
    while (access.endpoint.ends_with('/')) access.endpoint.pop_back();
    access.token = trimmed(variable("HF_TOKEN"));
    if (access.token.empty()) access.token = storedToken();
    const fs::path cache = place("HF_HUB_CACHE");
    access.cache = cache.empty() ? hubHome() / "hub" : cache;
    access.offline = isTrue(variable("HF_HUB_OFFLINE"));
    return access;
}

}  // namespace reelgrid::hub
