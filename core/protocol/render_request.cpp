#include "core/protocol/render_request.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/json.h"
#include "core/base/utf8.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/step_cache_json.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxNames = 256;

/// Reads one field of any type into its member.
class TableReader {
  public:
    TableReader(const json& object, const std::string& what, ErrorCode code)
        : m_object(object), m_fields(object, what, code) {}

    FieldReader& fields() { return m_fields; }

    void read(const RenderField& field, std::string& target) {
        m_fields.text(field.key, target, field.maxBytes);
    }
    void read(const RenderField& field, std::optional<std::string>& target) {
        m_fields.text(field.key, target, field.maxBytes);
    }
    void read(const RenderField& field, int& target) {
        m_fields.integer(field.key, target, int(field.range.least));
    }
    void read(const RenderField& field, std::optional<int>& target) {
        m_fields.integer(field.key, target, int(field.range.least));
    }
    void read(const RenderField& field, std::uint64_t& target) { m_fields.integer(field.key, target); }
    void read(const RenderField& field, bool& target) { m_fields.boolean(field.key, target); }
    void read(const RenderField& field, double& target) { m_fields.number(field.key, target); }
    void read(const RenderField& field, std::optional<double>& target) { m_fields.number(field.key, target); }
    void read(const RenderField& field, AttentionPolicy& target) {
        const json* policy = m_fields.object(field.key);
        if (policy == nullptr) return;
        auto rules = attentionPolicyFromJson(*policy);
        if (rules)
            target = *std::move(rules);
        else
            m_fields.fail(std::string(field.key) + ": " + rules.error().message);
    }
    void read(const RenderField& field, StepCache& target) {
        if (!m_object.is_object()) return;
        const auto value = m_object.find(field.key);
        if (value == m_object.end() || value->is_null()) return;
        auto cache = stepCacheFromJson(*value);
        if (cache)
            target = *std::move(cache);
        else
            m_fields.fail(cache.error().message);
    }
    void read(const RenderField& field, std::vector<std::string>& target) {
        const json* names = m_fields.array(field.key, kMaxNames);
        if (names == nullptr) return;
        target.clear();
        for (const json& name : *names) {
            if (!name.is_string() || name.get_ref<const std::string&>().size() > field.maxBytes)
                return m_fields.fail(std::string(field.key) + " " + showJson(*names) +
                                     ": a list of names was needed");
            target.push_back(name);
        }
    }

  private:
    const json& m_object;
    FieldReader m_fields;
};

/// What isn't UTF-8 among a request's texts: the first of them.
class Utf8Check {
  public:
    void look(const std::string& option, const std::string& text) {
        if (m_first) m_first = reelgrid::requireUtf8(option, text);
    }
    void look(const std::string& option, const std::optional<std::string>& text) {
        if (text) look(option, *text);
    }
    void look(const std::string& option, const std::vector<std::string>& texts) {
        for (const std::string& text : texts) look(option, text);
    }
    template <class Value>
    void look(const std::string&, const Value&) {}  // no text

    [[nodiscard]] const Result<void>& first() const { return m_first; }

  private:
    Result<void> m_first;
};

}  // namespace

Result<void> requireUtf8(const RenderRequest& request) {
    Utf8Check check;
    check.look("--model", request.model);
    check.look("--output", request.output);
    forEachRenderField(
        [&](const RenderField& field, auto access) { check.look(optionOf(field), access(request)); });
    return check.first();
}

json toJson(const RenderRequest& request) {
    json object = fieldsJson(request);
    object["model"] = request.model;
    object["output"] = request.output;
    if (request.resume) object["resume"] = true;
    return object;
}

Result<RenderRequest> renderRequestFromJson(const json& object) {
    RenderRequest request;
    TableReader reader(object, "request", ErrorCode::BadUsage);
    reader.fields().text("model", request.model, kMaxPathBytes);
    reader.fields().text("output", request.output, kMaxPathBytes);
    reader.fields().boolean("resume", request.resume);
    forEachRenderField([&](const RenderField& field, auto access) { reader.read(field, access(request)); });
    if (request.fps && *request.fps <= 0)
        reader.fields().fail("fps " + std::to_string(*request.fps) + ": more than 0 was needed");
    if (auto read = reader.fields().finish(); !read) return read.error();
    return request;
}

Result<void> readRenderSettings(const json& object, RenderFields<Given>& settings) {
    TableReader reader(object, "settings", ErrorCode::InvalidData);
    forEachRenderField([&](const RenderField& field, auto access) { reader.read(field, access(settings)); });
    return reader.fields().finish();
}

Result<void> readRenderDefaults(const json& object, const std::string& what, RenderFields<Given>& defaults) {
    TableReader reader(object, what, ErrorCode::InvalidData);
    RenderFields<std::optional> own;
    // Only what a request may leave out has a default: the fields whose type differs between the two.
    forEachRenderField([&](const RenderField& field, auto access) {
        using InRequest = std::remove_reference_t<decltype(access(own))>;
        using InDefaults = std::remove_reference_t<decltype(access(defaults))>;
        if constexpr (!std::is_same_v<InRequest, InDefaults>) {
            reader.read(field, access(defaults));
            if constexpr (std::is_arithmetic_v<InDefaults> && !std::is_same_v<InDefaults, bool>)
                if (!field.range.contains(access(defaults)) && object.is_object() &&
                    object.contains(field.key))
                    reader.fields().fail(std::string(field.key) + " " + object[field.key].dump() + ": " +
                                         field.range.words() + " was needed");
        }
    });
    return reader.fields().finish();
}

}  // namespace reelgrid::protocol
