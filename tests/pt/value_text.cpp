#include "tests/pt/value_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/pt/element_names.h"

namespace reelgrid::pt {
namespace {

/// Calls `visit` with the bytes of each element, in the order of the dimensions.
template <class Visit>
void forEachElement(const Tensor& tensor, std::size_t most, Visit&& visit) {
    const auto width = std::int64_t(safetensors::bytesOf(tensor.type));
    const std::size_t count = std::min(most, std::size_t(tensor.elements()));
    std::vector<std::int64_t> index(tensor.sizes.size(), 0);
    for (std::size_t done = 0; done < count; ++done) {
        std::int64_t at = tensor.offset;
        for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * tensor.strides[i];
        const std::string_view bytes = tensor.storage->bytes;
        const bool within = at >= 0 && std::size_t(at * width) <= bytes.size();
        visit(within ? bytes.substr(std::size_t(at * width), std::size_t(width)) : std::string_view());
        for (std::size_t i = index.size(); i-- > 0;) {
            if (++index[i] < tensor.sizes[i]) break;
            index[i] = 0;
        }
    }
}

std::string numbers(const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "(" + text + ")";
}

struct Printer {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return "real " + nlohmann::json(value).dump(); }
    std::string operator()(const std::string& text) const { return nlohmann::json(text).dump(); }
    std::string operator()(ElementType type) const {
        return std::string("torch.") + elementNameOf(type).dtype;
    }
    std::string operator()(const Size& size) const { return "torch.Size" + numbers(size.sizes); }
    std::string operator()(const List& list) const { return "[" + items(list.items) + "]"; }
    std::string operator()(const Tuple& tuple) const { return "(" + items(tuple.items) + ")"; }
    std::string operator()(const Dict& dict) const {
        std::string text;
        for (const Entry& entry : dict.entries)
            text += (text.empty() ? "" : ", ") + textOf(entry.key) + ": " + textOf(entry.value);
        return "{" + text + "}";
    }
    std::string operator()(const Tensor& tensor) const {
        std::string text = std::string(elementNameOf(tensor.type).dtype) + numbers(tensor.sizes) + "/" +
                           numbers(tensor.strides) + "+" + std::to_string(tensor.offset) + ":";
        forEachElement(tensor, 1000, [&](std::string_view bytes) {
            text += ' ';
            for (const char byte : bytes) text += std::to_string(int(byte)) + ",";
        });
        return text;
    }
    static std::string items(const std::vector<Value>& values) {
        std::string text;
        for (const Value& value : values) text += (text.empty() ? "" : ", ") + textOf(value);
        return text;
    }
};

}  // namespace

std::string textOf(const Value& value) {
    return std::visit(Printer{}, static_cast<const Value::variant&>(value));
}

bool isAllThere(const Value& value) {
    constexpr std::size_t kMost = 10'000;
    const auto areAllThere = [](const std::vector<Value>& items) {
        return std::ranges::all_of(items, isAllThere);
    };
    if (const auto* list = value.as<List>()) return areAllThere(list->items);
    if (const auto* tuple = value.as<Tuple>()) return areAllThere(tuple->items);
    if (const auto* dict = value.as<Dict>())
        return std::ranges::all_of(dict->entries, [](const Entry& entry) { return isAllThere(entry.value); });
    bool there = true;
    if (const auto* tensor = value.as<Tensor>())
        forEachElement(*tensor, kMost, [&](std::string_view bytes) {
            there = there && bytes.size() == safetensors::bytesOf(tensor->type);
        });
    return there;
}

}  // namespace reelgrid::pt
