#include "core/capture/captured_call.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/capture/capture_folder.h"
#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& why) {
    throw Failure(ErrorCode::InvalidData, why);
}

/// The entries of a capture, each of the type that it must have.
class Content {
  public:
    explicit Content(const pt::Dict& dict) : m_dict(dict) {}

    /// Null when it is absent or None; refused when it is anything else.
    template <class T>
    [[nodiscard]] const T* find(const char* key, const char* needed) const {
        const pt::Value* value = m_dict.find(key);
        if (value == nullptr || value->as<std::monostate>() != nullptr) return nullptr;
        const T* found = value->as<T>();
        if (found == nullptr) refuse(std::string(key) + " is not " + needed);
        return found;
    }
    [[nodiscard]] std::string text(const char* key) const {
        const auto* found = find<std::string>(key, "a text");
        return found == nullptr ? std::string() : *found;
    }
    [[nodiscard]] std::optional<std::int64_t> integer(const char* key, std::int64_t most) const {
        const auto* found = find<std::int64_t>(key, "a whole number");
        if (found == nullptr) return std::nullopt;
        if (*found < 0 || *found > most)
            refuse(std::string(key) + " " + std::to_string(*found) + ": a number from 0 to " +
                   std::to_string(most) + " was needed");
        return *found;
    }
    [[nodiscard]] std::optional<double> scale(const char* key) const {
        const auto* found = find<double>(key, "a number with a fraction");
        if (found == nullptr) return std::nullopt;
        if (!std::isfinite(*found) || *found <= 0)
            refuse(std::string(key) + " " + std::to_string(*found) + ": a finite number above 0 was needed");
        return *found;
    }

  private:
    const pt::Dict& m_dict;
};

std::string shapeText(const pt::Tensor& tensor) {
    std::string text;
    for (const std::int64_t size : tensor.sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "(" + text + ")";
}

/// A tensor of a capture; one that looks larger than its storage would grow when it is copied.
const pt::Tensor& required(const Content& content, const char* key, std::size_t dimensions) {
    const auto* found = content.find<pt::Tensor>(key, "a tensor");
    if (found == nullptr) refuse(std::string("it has no ") + key + ": q, k and v were needed");
    const std::uint64_t bytes = std::uint64_t(found->elements()) * safetensors::bytesOf(found->type);
    if (found->sizes.size() != dimensions || found->elements() == 0 || bytes > found->storage->bytes.size())
        refuse(std::string(key) + " has shape " + shapeText(*found) + ": " + std::to_string(dimensions) +
               " dimensions, none of them empty or repeated, were needed");
    return *found;
}

/// SageAttention was told its layout where the capture itself doesn't say it.
bool isBshd(const Content& content, const pt::Dict* kwargs, Layout layout) {
    if (layout != Layout::Recorded) return layout == Layout::Bshd;
    const std::string recorded = content.text("layout");
    if (recorded != "" && recorded != "BHSD" && recorded != "BSHD")
        refuse("layout " + recorded + ": BHSD or BSHD was needed");
    const std::string told = kwargs == nullptr ? "" : Content(*kwargs).text("tensor_layout");
    if (told != "" && told != "HND" && told != "NHD")
        refuse("kwargs' tensor_layout " + told + ": HND or NHD was needed");
    const bool isToldBshd = told == "NHD", isRecordedBshd = recorded == "BSHD";
    if (recorded.empty()) return isToldBshd;
    if (!told.empty() && isToldBshd != isRecordedBshd)
        refuse("kwargs' tensor_layout " + told + " is another layout than the capture's " + recorded);
    return isRecordedBshd;
}

at::Tensor heads(const pt::Tensor& stored, bool bshd) {
    const at::Tensor tensor = weights::tensorFrom(stored);
    const at::Tensor byHeads = bshd ? tensor.transpose(1, 2) : tensor;
    return byHeads.stride(3) == 1 ? byHeads : byHeads.contiguous();
}

void checkTogether(const CapturedCall& call) {
    const at::Tensor &q = call.q_BHND, &k = call.k_BHMD, &v = call.v_BHMD;
    const auto shape = [](const at::Tensor& x) {
        std::string text;
        for (const std::int64_t size : x.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(size);
        return "(" + text + ")";
    };
    const auto dtype = q.scalar_type();
    if (dtype != at::kFloat && dtype != at::kBFloat16 && dtype != at::kHalf)
        refuse(std::string("q has dtype ") + at::toString(dtype) +
               ": float32, bfloat16 or float16 was needed");
    if (k.scalar_type() != dtype || v.scalar_type() != dtype) refuse("q, k and v of one dtype were needed");
    if (k.size(0) != q.size(0) || k.size(3) != q.size(3) || k.sizes() != v.sizes() ||
        q.size(1) % k.size(1) != 0)
        refuse(
            "q " + shape(q) + ", k " + shape(k) + ", v " + shape(v) +
            " as (batch, heads, tokens, head dim): k and v of one shape, with q's batch and head dim and a "
            "number of heads that divides q's, were needed");
}

at::Tensor keyBias(const Content& content, std::int64_t keys) {
    if (content.find<pt::Tensor>("key_bias", "a tensor") == nullptr) return {};
    const at::Tensor bias = weights::tensorFrom(required(content, "key_bias", 1));
    if (bias.scalar_type() != at::kFloat || bias.size(0) != keys)
        refuse("key_bias has " + std::to_string(bias.size(0)) + " elements of " +
               at::toString(bias.scalar_type()) + ": " + std::to_string(keys) + " of float32 were needed");
    return bias.contiguous();
}

/// Of proj_l, whose every dimension is the head dim.
at::Tensor projectionPart(const Content& content, const char* key, std::size_t dimensions,
                          std::int64_t headDim) {
    if (content.find<pt::Tensor>(key, "a tensor") == nullptr) return {};
    const pt::Tensor& stored = required(content, key, dimensions);
    const at::Tensor part = weights::tensorFrom(stored);
    if (part.scalar_type() != at::kFloat ||
        std::ranges::any_of(part.sizes(), [&](std::int64_t size) { return size != headDim; }))
        refuse(std::string(key) + " has shape " + shapeText(stored) + " and dtype " +
               at::toString(part.scalar_type()) + ": q's head dim " + std::to_string(headDim) +
               " in each of " + std::to_string(dimensions) + " dimensions, in float32, was needed");
    return part.contiguous();
}

/// Where the tokens lie: frames, rows, columns, text before and behind; they are the call's.
kernels::TokenGrid gridFrom(const Content& content, std::int64_t queries) {
    constexpr const char* kNeeded = "a list of five whole numbers";
    const auto* list = content.find<pt::List>("grid", kNeeded);
    if (list == nullptr) return {};
    constexpr std::int64_t kMostTokens = std::int64_t{1} << 20;
    std::vector<std::int64_t> numbers;
    for (const pt::Value& each : list->items) {
        const auto* number = each.as<std::int64_t>();
        if (number == nullptr || *number < (numbers.size() < 3 ? 1 : 0) || *number > kMostTokens) break;
        numbers.push_back(*number);
    }
    if (numbers.size() != 5 || list->items.size() != 5)
        refuse(std::string("grid is not ") + kNeeded +
               ": frames, rows and columns from 1, text before and "
               "behind from 0");
    const kernels::TokenGrid grid{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    if (grid.tokens() != queries)
        refuse("grid has " + std::to_string(grid.tokens()) + " tokens: the " + std::to_string(queries) +
               " of q were needed");
    return grid;
}

/// Whether an argument says nothing: None, False, 0, or the -1 of windows without an end.
bool isNothing(const pt::Value& value) {
    if (value.as<std::monostate>() != nullptr) return true;
    if (const bool* flag = value.as<bool>()) return !*flag;
    if (const auto* number = value.as<std::int64_t>()) return *number == 0 || *number == -1;
    if (const double* number = value.as<double>()) return *number == 0;
    const auto* tuple = value.as<pt::Tuple>();
    return tuple != nullptr && std::ranges::all_of(tuple->items, isNothing);
}

/// What kernels were called with beside their tensors: the mask, the scale, and what this version computes
/// nothing of.
void readArguments(const pt::Dict& kwargs, CapturedCall& call) {
    const Content given(kwargs);
    for (const char* key :
         {"dropout_p", "softcap", "window_size", "attention_chunk", "attn_mask", "attn_bias", "alibi_slopes"})
        if (const pt::Value* value = kwargs.find(key); value != nullptr && !isNothing(*value))
            refuse(std::string("kwargs has ") + key +
                   ": a call without was needed, this is another attention");
    // flash_attn's name of it, too.
    for (const char* key : {"is_causal", "causal"})
        if (const auto* causal = given.find<bool>(key, "True or False"); causal != nullptr && *causal)
            call.mask = kernels::Mask::Causal;
    for (const char* key : {"softmax_scale", "scale", "sm_scale"}) {
        const auto scale = given.scale(key);
        constexpr double kRounding = 1e-6;
        if (scale && call.scale && std::abs(*scale - *call.scale) > kRounding * *call.scale)
            refuse(std::string("kwargs' ") + key + " " + std::to_string(*scale) +
                   " is another scale than the capture's " + std::to_string(*call.scale));
        if (!call.scale) call.scale = scale;
    }
}

CapturedCall callFrom(const Content& content, const fs::path& file, Layout layout) {
    const auto name = captureNameOf(file);
    const auto* kwargs = content.find<pt::Dict>("kwargs", "a dict");
    const bool bshd = isBshd(content, kwargs, layout);
    constexpr std::int64_t kMostCalls = std::int64_t{1} << 40;
    constexpr std::int64_t kMostPlaces = 1'000'000;
    CapturedCall call{.file = file,
                      .callIndex = content.integer("call_idx", kMostCalls).value_or(name ? name->number : 0),
                      .layer = content.integer("layer", kMostPlaces),
                      .step = content.integer("step", kMostPlaces),
                      .branch = content.text("branch"),
                      .kernel = content.text("kernel"),
                      .module = content.text("module"),
                      .q_BHND = heads(required(content, "q", 4), bshd),
                      .k_BHMD = heads(required(content, "k", 4), bshd),
                      .v_BHMD = heads(required(content, "v", 4), bshd),
                      .keyBias_M = {},
                      .projL_DD = {},
                      .projLBias_D = {},
                      .scale = content.scale("scale")};
    checkTogether(call);
    call.keyBias_M = keyBias(content, call.k_BHMD.size(2));
    call.projL_DD = projectionPart(content, "proj_l_weight", 2, call.q_BHND.size(3));
    call.projLBias_D = projectionPart(content, "proj_l_bias", 1, call.q_BHND.size(3));
    if (call.projLBias_D.defined() && !call.projL_DD.defined())
        refuse("it has proj_l_bias without proj_l_weight: both or none were needed");
    call.grid = gridFrom(content, call.q_BHND.size(2));
    if (call.kernel.empty() && name) call.kernel = name->kernel;
    if (kwargs != nullptr) readArguments(*kwargs, call);
    return call;
}

}  // namespace

Result<std::vector<fs::path>> captureFiles(const fs::path& folder) {
    std::error_code failed;
    fs::directory_iterator file(folder, failed);
    if (failed) return Error{ErrorCode::NotFound, folder.string() + ": " + failed.message()};
    std::vector<std::pair<CaptureName, fs::path>> found;
    for (const fs::directory_iterator end; !failed && file != end; file.increment(failed))
        if (auto name = captureNameOf(file->path())) found.emplace_back(*std::move(name), file->path());
    if (failed) return Error{ErrorCode::Io, folder.string() + ": " + failed.message()};
    if (found.empty())
        return Error{ErrorCode::NotFound, folder.string() +
                                              ": no file is called *_input_*.pt; captures, which render "
                                              "--save-inputs makes, were needed"};
    std::ranges::sort(found, {}, [](const auto& capture) {
        return std::tie(capture.first.number, capture.first.kernel, capture.second);
    });
    std::vector<fs::path> files;
    for (auto& [name, path] : found) files.push_back(std::move(path));
    return files;
}

Result<CapturedCall> readCapture(const fs::path& file, Layout layout) {
    const auto value = pt::readPt(file, pt::Checked::AllBytes);
    if (!value) return value.error();
    try {
        const auto* dict = value->as<pt::Dict>();
        if (dict == nullptr) refuse("a dict with q, k and v was needed");
        return callFrom(Content(*dict), file, layout);
    } catch (const Failure& failure) {
        return failure.error().in(file.string());
    }
}

}  // namespace reelgrid::capture
