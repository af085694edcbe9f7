// A ReelGrid plug-in that makes an attention backend of an operator which some library registers with
// libtorch (torch.ops.NAMESPACE.NAME): a wheel's, or a TORCH_LIBRARY extension of your own. What to call is
// said in a recipe; docs/guide/plugins.md has its fields.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <reelgrid/attention_backend.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

/// All that a recipe may say. "plugin" is read by the program, which finds this library by it.
constexpr std::array<std::string_view, 18> kFields{
    "plugin",   "name",     "title",     "description",  "version",           "library",
    "operator", "overload", "arguments", "layout",       "contiguous",        "result",
    "devices",  "dtypes",   "features",  "max_head_dim", "head_dim_multiple", "claimed_l1",
};

enum class Layout { TokensFirst, HeadsFirst };  // [B,N,H,D], [B,H,N,D]

struct Recipe {
    std::string name, title, description, version, library, op, overload;
    Layout layout = Layout::TokensFirst;
    json arguments;
    std::size_t result = 0;  // which of the operator's outputs
    bool contiguous = false;
};

/// What the backend's `self` points to; lives as long as the process.
struct Operator {
    Recipe recipe;
    reelgrid_backend backend{};
    std::string whyNot;  // why it can't be called
    bool isLoaded = false;
    std::optional<c10::OperatorHandle> handle;
};

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(what);
}

[[noreturn]] void refuse(const std::string& key, const json& value, const std::string& needed) {
    refuse(key + " " + value.dump(-1, ' ', true, json::error_handler_t::replace) + ": " + needed +
           " was needed");
}

/// A misspelt field would leave the one that was meant at its default in silence.
void refuseUnknownFields(const json& recipe) {
    for (const auto& [key, value] : recipe.items()) {
        if (std::find(kFields.begin(), kFields.end(), key) != kFields.end()) continue;
        std::string known;
        for (const std::string_view name : kFields) known.append(known.empty() ? "" : ", ").append(name);
        refuse("field " + json(key).dump(-1, ' ', true, json::error_handler_t::replace) + ": one of " +
               known + " was needed");
    }
}

/// The field's value; null where it isn't there.
const json& fieldOf(const json& recipe, const char* key) {
    static const json kNone;
    const auto found = recipe.find(key);
    return found == recipe.end() ? kNone : *found;
}

std::string textOf(const json& recipe, const char* key, const std::string& otherwise) {
    const json& value = fieldOf(recipe, key);
    if (value.is_null()) return otherwise;
    if (!value.is_string()) refuse(key, value, "a text");
    // What is told of a backend ends at the first zero.
    if (value.get_ref<const std::string&>().find('\0') != std::string::npos)
        refuse(key, value, "a text without zero bytes");
    return value.get<std::string>();
}

std::string requiredTextOf(const json& recipe, const char* key) {
    if (fieldOf(recipe, key).is_null()) refuse(std::string(key) + " is missing, a text was needed");
    return textOf(recipe, key, "");
}

std::int32_t wholeOf(const json& recipe, const char* key, std::int32_t otherwise, std::int32_t least) {
    constexpr std::int32_t kMost = 65536;
    const json& value = fieldOf(recipe, key);
    if (value.is_null()) return otherwise;
    if (!value.is_number_integer() || value.get<double>() < least || value.get<double>() > kMost)
        refuse(key, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(kMost));
    return value.get<std::int32_t>();
}

bool flagOf(const json& recipe, const char* key) {
    const json& value = fieldOf(recipe, key);
    if (!value.is_null() && !value.is_boolean()) refuse(key, value, "true or false");
    return !value.is_null() && value.get<bool>();
}

std::uint32_t bitsOf(const json& recipe, const char* key, const std::vector<std::string>& names,
                     const std::vector<std::uint32_t>& bits) {
    const json& words = fieldOf(recipe, key);
    if (!words.is_null() && !words.is_array()) refuse(key, words, "a list");
    std::uint32_t set = 0;
    for (const json& word : words) {
        const auto found = word.is_string()
                               ? std::find(names.begin(), names.end(), word.get_ref<const std::string&>())
                               : names.end();
        if (found == names.end()) {
            std::string known;
            for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
            refuse(key, word, "one of " + known);
        }
        set |= bits[std::size_t(found - names.begin())];
    }
    return set;
}

/// A path is relative to the recipe's folder.
std::string libraryOf(const json& recipe, const std::string& file) {
    const std::string library = textOf(recipe, "library", "");
    if (library.empty() || library.front() == '/') return library;
    return file.substr(0, file.rfind('/') + 1) + library;
}

std::unique_ptr<Operator> read(const std::string& file) {
    std::ifstream stream(file);
    const json recipe = json::parse(stream, nullptr, /*allow_exceptions=*/false);
    if (!recipe.is_object()) refuse("not a JSON object");
    refuseUnknownFields(recipe);
    auto made = std::make_unique<Operator>();
    Recipe& own = made->recipe;
    own.name = requiredTextOf(recipe, "name");
    own.op = requiredTextOf(recipe, "operator");
    constexpr std::size_t kMostBytes = 180;  // its name is the title, too
    if (own.op.size() > kMostBytes)
        refuse("operator has " + std::to_string(own.op.size()) + " bytes, at most " +
               std::to_string(kMostBytes) + " were needed");
    own.overload = textOf(recipe, "overload", "");
    own.title = textOf(recipe, "title", "torch.ops " + own.op);
    own.description =
        textOf(recipe, "description", "libtorch's operator " + own.op + ", as a recipe calls it.");
    own.version = textOf(recipe, "version", "");
    own.library = libraryOf(recipe, file);
    own.result = static_cast<std::size_t>(wholeOf(recipe, "result", 0, 0));
    own.contiguous = flagOf(recipe, "contiguous");
    own.arguments = fieldOf(recipe, "arguments");
    if (!own.arguments.is_object())
        refuse("arguments", own.arguments, "an object of the operator's arguments by name");
    const std::string layout = textOf(recipe, "layout", "BNHD");
    if (layout != "BNHD" && layout != "BHND") refuse("layout " + layout + ": BNHD or BHND was needed");
    own.layout = layout == "BNHD" ? Layout::TokensFirst : Layout::HeadsFirst;

    reelgrid_backend& backend = made->backend;
    backend.size = sizeof backend;
    backend.abi = REELGRID_BACKEND_ABI;
    backend.devices = bitsOf(recipe, "devices", {"cpu", "cuda"}, {1, 2});
    backend.dtypes = bitsOf(recipe, "dtypes", {"fp32", "bf16", "fp16"}, {1, 2, 4});
    backend.features =
        bitsOf(recipe, "features", {"causal", "shared_keys"}, {REELGRID_CAUSAL, REELGRID_SHARED_KEYS});
    backend.max_head_dim = wholeOf(recipe, "max_head_dim", 256, 1);
    backend.head_dim_multiple = wholeOf(recipe, "head_dim_multiple", 1, 1);
    const json& claimed = fieldOf(recipe, "claimed_l1");
    const bool isClaim = claimed.is_number() && claimed.get<double>() >= 0;
    if (!claimed.is_null() && !isClaim) refuse("claimed_l1", claimed, "a number from 0");
    if (isClaim) backend.claimed_l1 = claimed.get<double>();
    backend.name = own.name.c_str();
    backend.title = own.title.c_str();
    backend.description = own.description.c_str();
    backend.version = own.version.c_str();
    backend.author = "";
    backend.self = made.get();
    return made;
}

/// Libraries of wheels name libtorch's by their plain names: they must be in the process already.
void loadLibtorch() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&c10::Dispatcher::singleton), &info) == 0 || info.dli_fname == nullptr)
        return;
    const std::string path = info.dli_fname, folder = path.substr(0, path.rfind('/') + 1);
    for (const char* name : {"libc10_cuda.so", "libtorch_cuda.so", "libtorch.so"})
        static_cast<void>(dlopen((folder + name).c_str(), RTLD_NOW | RTLD_GLOBAL));  // those that are there
}

/// Libraries of wheels are modules of Python, too: what their PyInit functions, which nobody calls here,
/// would call stands below. For them to find it, this library's symbols become everybody's.
void standInForPython() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&standInForPython), &info) != 0 && info.dli_fname != nullptr)
        static_cast<void>(dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD));
}

bool wantsFloat(const c10::Argument& argument) {
    return argument.type()->str().find("float") != std::string::npos;
}

/// What valueOf() makes of a value in the recipe; null where it makes nothing of it.
c10::TypePtr typeOf(const json& given, const c10::Argument& argument) {
    if (given.is_null()) return c10::NoneType::get();
    if (given.is_boolean() || given == "$causal") return c10::BoolType::get();
    if (given.is_number_float() || given == "$scale") return c10::FloatType::get();
    if (given.is_number())
        return wantsFloat(argument) ? c10::TypePtr(c10::FloatType::get()) : c10::IntType::get();
    if (given == "$q" || given == "$k" || given == "$v") return c10::TensorType::get();
    const bool isText = given.is_string() && !given.get_ref<const std::string&>().starts_with('$');
    return isText ? c10::TypePtr(c10::StringType::get()) : nullptr;
}

/// What is wrong with a value for an argument; empty: it fits.
std::string misfit(const json& given, const c10::Argument& argument) {
    const std::string value = given.dump(-1, ' ', true, json::error_handler_t::replace);
    const c10::TypePtr type = typeOf(given, argument);
    if (type == nullptr)
        return "argument " + argument.name() + " " + value +
               ": a number, true or false, a text, null, or one of $q, $k, $v, $scale, $causal was needed";
    if (type->isSubtypeOf(*argument.type())) return "";
    return "argument " + argument.name() + " " + value + ": " + argument.type()->str() + " was needed";
}

/// Every argument without a default has to be in the recipe, and the other way round.
std::string misfit(const c10::FunctionSchema& schema, const json& arguments) {
    for (const c10::Argument& argument : schema.arguments())
        if (!argument.default_value() && !arguments.contains(argument.name()))
            return "\"arguments\" lacks " + argument.name();
    for (const auto& [name, value] : arguments.items()) {
        const auto place = schema.argumentIndexWithName(name);
        if (!place) return "the operator has no argument " + name;
        const std::string why = misfit(value, schema.arguments()[std::size_t(*place)]);
        if (!why.empty()) return why;
    }
    return "";
}

/// As libtorch writes it.
std::string operatorOf(const Recipe& recipe) {
    return recipe.op + (recipe.overload.empty() ? "" : "." + recipe.overload);
}

/// When the first call asks, in the process that renders: what a GPU's operators need is loaded by then.
void load(Operator& own) {
    if (std::exchange(own.isLoaded, true)) return;
    const Recipe& recipe = own.recipe;
    if (!recipe.library.empty()) {
        loadLibtorch();
        standInForPython();
        if (dlopen(recipe.library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
            own.whyNot =
                "its library can't be loaded by libtorch " TORCH_VERSION ": " + std::string(dlerror());
            return;
        }
    }
    own.handle = c10::Dispatcher::singleton().findSchema({recipe.op, recipe.overload});
    if (!own.handle) {
        own.whyNot = "libtorch knows no operator " + operatorOf(recipe) +
                     (recipe.library.empty() ? "" : " after " + recipe.library + " was loaded");
        return;
    }
    const std::string why = misfit(own.handle->schema(), recipe.arguments);
    if (!why.empty()) own.whyNot = why + ": " + c10::toString(own.handle->schema());
}

at::Tensor tensorOf(void* data, const reelgrid_call& c, int64_t heads, int64_t tokens,
                    const reelgrid_strides& s, Layout layout) {
    const at::ScalarType type = c.dtype == REELGRID_FP32   ? at::kFloat
                                : c.dtype == REELGRID_BF16 ? at::kBFloat16
                                                           : at::kHalf;
    const at::Tensor x_BNHD =
        at::from_blob(data, {c.batch, tokens, heads, c.head_dim}, {s.batch, s.token, s.head, 1},
                      at::dtype(type).device(c.device == REELGRID_CPU ? at::kCPU : at::kCUDA));
    return layout == Layout::TokensFirst ? x_BNHD : x_BNHD.transpose(1, 2);
}

struct Tensors {
    at::Tensor q, k, v;
};

/// What the recipe gives for an argument: "$q", "$k", "$v", "$scale", "$causal", or a value of its own.
c10::IValue valueOf(const json& given, const c10::Argument& argument, const reelgrid_call& c,
                    const Tensors& tensors) {
    if (given.is_null()) return {};
    if (given.is_boolean()) return given.get<bool>();
    if (given.is_number_float()) return given.get<double>();
    if (given.is_number())
        return wantsFloat(argument) ? c10::IValue(given.get<double>()) : c10::IValue(given.get<int64_t>());
    const auto word = given.get<std::string>();
    if (word == "$q") return tensors.q;
    if (word == "$k") return tensors.k;
    if (word == "$v") return tensors.v;
    if (word == "$scale") return c.scale;
    if (word == "$causal") return c.causal != 0;
    return word;
}

std::vector<c10::IValue> stackFor(const Operator& own, const reelgrid_call& c) {
    const Layout layout = own.recipe.layout;
    Tensors tensors{tensorOf(const_cast<void*>(c.q), c, c.query_heads, c.queries, c.q_strides, layout),
                    tensorOf(const_cast<void*>(c.k), c, c.key_heads, c.keys, c.k_strides, layout),
                    tensorOf(const_cast<void*>(c.v), c, c.key_heads, c.keys, c.v_strides, layout)};
    if (own.recipe.contiguous)
        for (at::Tensor* x : {&tensors.q, &tensors.k, &tensors.v}) *x = x->contiguous();
    std::vector<c10::IValue> stack;
    for (const c10::Argument& argument : own.handle->schema().arguments()) {
        const auto given = own.recipe.arguments.find(argument.name());
        stack.push_back(given == own.recipe.arguments.end() ? *argument.default_value()
                                                            : valueOf(*given, argument, c, tensors));
    }
    return stack;
}

int32_t supports(const reelgrid_backend* backend, const reelgrid_call*, char* reason, size_t size) {
    auto& own = *static_cast<Operator*>(const_cast<void*>(backend->self));
    load(own);
    if (own.whyNot.empty()) return 1;
    std::snprintf(reason, size, "%s", own.whyNot.c_str());
    return 0;
}

/// As recipes and options name it, where they do.
std::string nameOf(at::ScalarType type) {
    if (type == at::kFloat) return "fp32";
    if (type == at::kBFloat16) return "bf16";
    return type == at::kHalf ? "fp16" : at::toString(type);
}

/// "[1, 2, 100, 64] in bf16"
std::string textOf(const at::Tensor& x) {
    std::ostringstream text;
    text << x.sizes() << " in " << nameOf(x.scalar_type());
    return text.str();
}

std::string textOf(Layout layout) {
    return layout == Layout::TokensFirst ? "BNHD" : "BHND";
}

/// What of libtorch's words is of use to a user.
std::string wordsOf(const std::exception& failure) {
    const auto* own = dynamic_cast<const c10::Error*>(&failure);
    return own != nullptr ? own->what_without_backtrace() : failure.what();
}

/// The operator's outputs.
std::vector<c10::IValue> outputsOf(const Operator& own, const reelgrid_call& c) {
    std::vector<c10::IValue> stack = stackFor(own, c);
    try {
        own.handle->callBoxed(&stack);
        return stack;
    } catch (const std::exception& failure) {
        const Layout layout = own.recipe.layout;
        const at::Tensor q =
            tensorOf(const_cast<void*>(c.q), c, c.query_heads, c.queries, c.q_strides, layout);
        const at::Tensor k = tensorOf(const_cast<void*>(c.k), c, c.key_heads, c.keys, c.k_strides, layout);
        refuse(operatorOf(own.recipe) + " fails with q " + textOf(q) + ", k and v " + textOf(k) + " (" +
               textOf(layout) + "): " + wordsOf(failure));
    }
}

/// Attention's output among the operator's. Another shape or dtype isn't spread or converted into one.
at::Tensor resultOf(const Operator& own, const std::vector<c10::IValue>& outputs, const at::Tensor& needed) {
    const Recipe& recipe = own.recipe;
    const std::string what = "result " + std::to_string(recipe.result) + " of " + operatorOf(recipe);
    const std::string misses = ": " + textOf(needed) + " (" + textOf(recipe.layout) + ") was needed, as q is";
    if (recipe.result >= outputs.size())
        refuse(what + " isn't there, it gives " + std::to_string(outputs.size()) + misses);
    const c10::IValue& output = outputs[recipe.result];
    if (!output.isTensor() || !output.toTensor().defined()) refuse(what + " is no tensor" + misses);
    const at::Tensor& result = output.toTensor();
    if (result.sizes() != needed.sizes() || result.scalar_type() != needed.scalar_type())
        refuse(what + " is " + textOf(result) + misses);
    return result;
}

int32_t run(const reelgrid_backend* backend, const reelgrid_call* c, char* error, size_t size) {
    auto& own = *static_cast<Operator*>(const_cast<void*>(backend->self));
    try {
        load(own);
        if (!own.whyNot.empty()) refuse(own.whyNot);
        const c10::InferenceMode inference;
        const at::Tensor out =
            tensorOf(c->out, *c, c->query_heads, c->queries, c->out_strides, own.recipe.layout);
        out.copy_(resultOf(own, outputsOf(own, *c), out));
        return 0;
    } catch (const std::exception& failure) {
        std::snprintf(error, size, "%s", wordsOf(failure).c_str());
    }
    return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* PyModule_Create2(void* /*definition*/, int /*api*/) {
    return nullptr;
}
extern "C" __attribute__((visibility("default"))) void* PyModuleDef_Init(void* /*definition*/) {
    return nullptr;
}

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_at(uint32_t, uint32_t) {
    return nullptr;  // without a recipe there is nothing to call
}

REELGRID_BACKEND_EXPORT const reelgrid_backend* reelgrid_backend_from_recipe(uint32_t abi, const char* file,
                                                                             char* error, size_t size) {
    try {
        if (abi != REELGRID_BACKEND_ABI) refuse("made for another version of the interface");
        auto made = read(file);
        made->backend.supports = supports;
        made->backend.run = run;
        return &made.release()->backend;
    } catch (const std::exception& failure) {
        std::snprintf(error, size, "%s", failure.what());
    }
    return nullptr;
}
