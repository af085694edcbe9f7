#include "core/protocol/render_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/json.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/step_cache_json.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

template <class T>
void put(json& object, const char* key, const T& value) {
    object[key] = value;
}
template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}
void put(json& object, const char* key, const AttentionPolicy& policy) {
    if (!policy.empty()) object[key] = toJson(policy);
}
void put(json& object, const char* key, const StepCache& cache) {
    object[key] = toJson(cache);
}
void put(json& object, const char* key, const std::vector<std::string>& names) {
    if (!names.empty()) object[key] = names;
}

}  // namespace

std::string ValueRange::words() const {
    std::ostringstream text;
    if (leastIs == LeastIs::TooLittle)
        text << "a value above " << least << ", at most " << most << ",";
    else
        text << "a value from " << least << " to " << most;
    return text.str();
}

std::string optionOf(const RenderField& field) {
    std::string option = std::string("--") + field.key;
    std::ranges::replace(option, '_', '-');
    return option;
}

template <template <class> class Maybe>
json fieldsJson(const RenderFields<Maybe>& fields) {
    json object = json::object();
    forEachRenderField(
        [&](const RenderField& field, auto access) { put(object, field.key, access(fields)); });
    return object;
}

template <template <class> class Maybe>
std::string pictureKey(const RenderFields<Maybe>& fields) {
    json object = json::object();
    forEachRenderField([&](const RenderField& field, auto access) {
        if (field.decides == Decides::Picture) put(object, field.key, access(fields));
    });
    if (fields.vaeTiling == kTilingOff) object.erase("vae_tile_px");
    // Models that are told how much is to move are told the frame rate, too.
    if (fields.motionBucketId) put(object, "fps", fields.fps);
    return printJson(object);
}

template <template <class> class Maybe>
void forgetFilesToWrite(RenderFields<Maybe>& fields) {
    RenderFields<Maybe> usual;
    forEachRenderField([&](const RenderField& field, auto access) {
        if (field.decides == Decides::Captures) access(fields) = access(usual);
    });
    fields.profileOutput.reset();
    fields.profileWait.reset();
    fields.profileWarmup.reset();
    fields.profileActive.reset();
}

template json fieldsJson(const RenderFields<std::optional>&);
template json fieldsJson(const RenderFields<Given>&);
template std::string pictureKey(const RenderFields<std::optional>&);
template std::string pictureKey(const RenderFields<Given>&);
template void forgetFilesToWrite(RenderFields<std::optional>&);

}  // namespace reelgrid::protocol
