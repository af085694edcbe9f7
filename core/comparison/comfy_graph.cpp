#include "core/comparison/comfy_graph.h"

#include <deque>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/comparison/origin_text.h"

namespace reelgrid::comparison {
namespace {

using nlohmann::json;
using Names = std::initializer_list<const char*>;

constexpr std::size_t kMaxNodes = 10'000;
constexpr int kMaxSamplers = 32;  // that are looked at to find the first one

/// A node's inputs; null where it has none.
const json* inputsOf(const json& node) {
    if (!node.is_object()) return nullptr;
    const auto inputs = node.find("inputs");
    return inputs != node.end() && inputs->is_object() ? &*inputs : nullptr;
}

std::string classOf(const json& node) {
    const auto type = node.is_object() ? node.find("class_type") : node.end();
    return type != node.end() && type->is_string() ? type->get<std::string>() : "";
}

/// KSampler, KSamplerAdvanced, SamplerCustom, SamplerCustomAdvanced, and those of other nodes that count
/// steps from a seed.
bool isSampler(const json& node) {
    const json* inputs = inputsOf(node);
    if (inputs == nullptr) return false;
    const std::string type = classOf(node);
    if (type == "KSamplerSelect") return false;
    return type.starts_with("KSampler") || type.starts_with("SamplerCustom") ||
           (inputs->contains("steps") && (inputs->contains("seed") || inputs->contains("noise_seed")));
}

class Graph {
  public:
    explicit Graph(const json& nodes) : m_nodes(nodes) {}

    /// Goes from `start` along the inputs that `along` names, each node once, the nearest first, until
    /// `take(inputs, id)` says that it has what it looks for.
    void walk(const std::string& start, Names along,
              const std::function<bool(const json& inputs, const std::string& id)>& take) const {
        std::deque<std::string> waiting{start};
        std::set<std::string> seen{start};
        while (!waiting.empty()) {
            const std::string id = waiting.front();
            waiting.pop_front();
            const auto node = m_nodes.find(id);
            const json* inputs = node == m_nodes.end() ? nullptr : inputsOf(*node);
            if (inputs == nullptr) continue;
            if (take(*inputs, id)) return;
            for (const char* name : along)
                if (const auto next = linkIn(*inputs, name); next && seen.insert(*next).second)
                    waiting.push_back(*next);
        }
    }

    /// The first value under one of these names that `read` takes; nothing where none does.
    template <class Value>
    std::optional<Value> find(const std::string& start, Names names, Names along,
                              std::optional<Value> (*read)(const json&)) const {
        std::optional<Value> found;
        walk(start, along, [&](const json& inputs, const std::string&) {
            for (const char* name : names)
                if (const auto value = inputs.find(name); value != inputs.end() && !found)
                    found = read(*value);
            return found.has_value();
        });
        return found;
    }

    /// The sampler that begins: no other one's latents go into it. Empty: there is none.
    [[nodiscard]] std::string firstSampler() const {
        std::string any;
        int samplers = 0;
        for (const auto& [id, node] : m_nodes.items()) {
            if (!isSampler(node)) continue;
            if (++samplers > kMaxSamplers) break;
            if (any.empty()) any = id;
            bool begins = true;
            walk(id, {"latent_image", "samples", "latent"}, [&](const json&, const std::string& before) {
                begins = begins && (before == id || !isSampler(m_nodes[before]));
                return !begins;
            });
            if (begins) return id;
        }
        return any;
    }

  private:
    /// The node that an input is linked to.
    static std::optional<std::string> linkIn(const json& inputs, const char* name) {
        const auto link = inputs.find(name);
        if (link == inputs.end() || !link->is_array() || link->size() != 2 || !(*link)[0].is_string())
            return std::nullopt;
        return (*link)[0].get<std::string>();
    }

    const json& m_nodes;
};

std::optional<std::string> textIn(const json& value) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) return std::nullopt;
    return value.get<std::string>();
}

std::optional<std::uint64_t> seedIn(const json& value) {
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    return std::nullopt;
}

std::optional<std::int64_t> stepsIn(const json& value) {
    return value.is_number() ? saneSteps(value.get<double>()) : std::nullopt;
}

std::optional<double> cfgIn(const json& value) {
    return value.is_number() ? saneCfg(value.get<double>()) : std::nullopt;
}

}  // namespace

std::optional<ClipOrigin> originOfGraph(const json& nodes) {
    if (!nodes.is_object() || nodes.size() > kMaxNodes) return std::nullopt;
    const Graph graph(nodes);
    const std::string sampler = graph.firstSampler();
    if (sampler.empty()) return std::nullopt;
    ClipOrigin origin;
    // SamplerCustom and SamplerCustomAdvanced have a node for each of these.
    origin.seed =
        graph.find(sampler, {"seed", "noise_seed", "value"}, {"seed", "noise_seed", "noise"}, seedIn);
    origin.steps = graph.find(sampler, {"steps", "value"}, {"steps", "sigmas"}, stepsIn);
    origin.cfg = graph.find(sampler, {"cfg", "value"}, {"cfg", "guider"}, cfgIn);
    origin.sampler = shownName(graph.find(sampler, {"sampler_name"}, {"sampler"}, textIn).value_or(""));
    origin.scheduler = shownName(graph.find(sampler, {"scheduler"}, {"sigmas"}, textIn).value_or(""));
    origin.model = shownModel(graph
                                  .find(sampler, {"unet_name", "ckpt_name", "model_name", "model"},
                                        {"model", "guider", "sigmas"}, textIn)
                                  .value_or(""));
    origin.prompt = shownPrompt(
        graph
            .find(sampler, {"text", "positive_prompt", "prompt", "t5xxl", "text_g", "value", "string"},
                  {"positive", "text_embeds", "guider", "conditioning", "conditioning_1", "text",
                   "positive_prompt", "prompt"},
                  textIn)
            .value_or(""));
    if (origin.text().empty() && origin.prompt.empty()) return std::nullopt;
    return origin;
}

}  // namespace reelgrid::comparison
