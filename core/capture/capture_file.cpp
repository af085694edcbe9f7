#include "core/capture/capture_file.h"

#include <cmath>

#include "core/base/version.h"
#include "core/pt/element_names.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/scalar_type.h"

namespace reelgrid::capture {
namespace {

using attention::CallShape;
using pt::Dict;
using pt::List;
using pt::Tuple;
using pt::Value;

std::int64_t integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// A copy: the caller may overwrite or free its own as soon as the attention has run.
at::Tensor copied(const at::Tensor& tensor) {
    at::Tensor copy = at::empty_like(tensor, tensor.options().device(at::kCPU), at::MemoryFormat::Preserve);
    copy.copy_(tensor);
    return copy;
}

std::string dtypeName(at::ScalarType type) {
    return std::string("torch.") + pt::elementNameOf(weights::elementTypeOf(type)).dtype;
}

List listOf(const std::vector<std::int64_t>& sizes) {
    return {{sizes.begin(), sizes.end()}};
}
Tuple tupleOf(const std::vector<std::int64_t>& sizes) {
    return {{sizes.begin(), sizes.end()}};
}
Tuple tupleOf(const CallShape& shape) {
    return {{tupleOf(shape.q), tupleOf(shape.k), tupleOf(shape.v), dtypeName(shape.dtype)}};
}

/// As Python prints the tuple.
std::string printed(const CallShape& shape) {
    std::string text = "(";
    for (const auto* sizes : {&shape.q, &shape.k, &shape.v}) {
        text += '(';
        for (std::size_t i = 0; i < sizes->size(); ++i)
            text += (i == 0 ? "" : ", ") + std::to_string((*sizes)[i]);
        text += "), ";
    }
    return text + "'" + dtypeName(shape.dtype) + "')";
}

/// Of the call's queries; None where nobody knows it.
Value gridOf(const attention::Inputs& in) {
    const attention::TokenGrid& grid = in.grid;
    if (!grid.isKnown() || grid.tokens() != in.q_BHND.size(2)) return {};
    return listOf({grid.frames, grid.rows, grid.columns, grid.textBefore, grid.textAfter});
}

void addSource(Dict& content, const CaptureSource& source) {
    content.add("rank", std::int64_t{source.rank});
    content.add("ranks", std::int64_t{source.ranks});
    content.add("model", source.model);
    content.add("reelgrid", std::string(kVersion));
}

}  // namespace

std::uint64_t bytesOf(const attention::Inputs& in) {
    std::uint64_t bytes = 0;
    for (const at::Tensor* tensor :
         {&in.q_BHND, &in.k_BHMD, &in.v_BHMD, &in.keyBias_M, &in.projL_DD, &in.projLBias_D})
        if (tensor->defined()) bytes += tensor->nbytes();
    return bytes;
}

pt::Value captureOf(const attention::Inputs& in, const CallPlace& place, std::int64_t callIndex,
                    const CaptureSource& source) {
    const double scale = 1 / std::sqrt(double(in.q_BHND.size(3)));
    const auto tensor = [](const at::Tensor& own) -> Value {
        if (!own.defined()) return {};
        return weights::ptTensorOf(copied(own));
    };
    const CallShape shape = attention::shapeOf(in);
    Dict kwargs;
    kwargs.add("is_causal", false);
    kwargs.add("softmax_scale", scale);

    Dict content;
    content.add("q", tensor(in.q_BHND));
    content.add("k", tensor(in.k_BHMD));
    content.add("v", tensor(in.v_BHMD));
    content.add("q_shape", listOf(shape.q));
    content.add("k_shape", listOf(shape.k));
    content.add("v_shape", listOf(shape.v));
    content.add("dtype", dtypeName(shape.dtype));
    content.add("call_idx", callIndex);
    content.add("kwargs", std::move(kwargs));
    content.add("layout", std::string("BHSD"));
    content.add("scale", scale);
    content.add("key_bias", tensor(in.keyBias_M));
    content.add("proj_l_weight", tensor(in.projL_DD));
    content.add("proj_l_bias", tensor(in.projLBias_D));
    content.add("grid", gridOf(in));
    content.add("layer", std::int64_t{place.layer});
    content.add("step", std::int64_t{place.step});
    content.add("branch", std::string(protocol::nameOf(place.branch)));
    content.add("module", std::string(protocol::nameOf(place.kind)));
    content.add("kernel", source.kernel);
    addSource(content, source);
    return content;
}

pt::Value metadataOf(const CaptureSummary& summary, const CaptureSource& source) {
    std::vector<List> callsOf(summary.shapes.size());
    List history;
    for (std::size_t call = 0; call < summary.history.size(); ++call) {
        const std::uint32_t shape = summary.history[call];
        callsOf[shape].items.emplace_back(integer(call));
        history.items.emplace_back(tupleOf(summary.shapes[shape]));
    }
    Dict shapes;
    for (std::size_t i = 0; i < callsOf.size(); ++i)
        shapes.add(printed(summary.shapes[i]), std::move(callsOf[i]));

    Dict content;
    content.add("total_calls", integer(summary.history.size()));
    content.add("saved_count", summary.saved);
    content.add("max_captures", summary.maxCaptures == 0 ? Value() : Value(summary.maxCaptures));
    content.add("captured_shapes", std::move(shapes));
    content.add("shape_history", std::move(history));
    content.add("kernel_name", source.kernel);
    content.add("layout", std::string("BHSD"));
    content.add("why_fewer", summary.why);
    content.add("render_finished", summary.renderFinished);
    content.add("settings", source.settings);
    addSource(content, source);
    return content;
}

}  // namespace reelgrid::capture
