#include "core/plugins/library_kernel.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/plugins/crash_report.h"
#include "core/plugins/floating_point_state.h"
#include "core/plugins/plugin_library.h"
#include "core/protocol/worker_exit.h"

namespace reelgrid::plugins {
namespace {

using kernels::AttentionProblem;

constexpr std::uint64_t kMostWorkspaceBytes = std::uint64_t{1} << 40;

std::int32_t typeOf(kernels::DataType type) {
    switch (type) {
        case kernels::DataType::Float32:
            return REELGRID_FP32;
        case kernels::DataType::BFloat16:
            return REELGRID_BF16;
        case kernels::DataType::Float16:
            break;
    }
    return REELGRID_FP16;
}

reelgrid_strides stridesOf(const kernels::Strides& strides) {
    return {strides.batch, strides.head, strides.token};
}

reelgrid_call callOf(const AttentionProblem& p) {
    reelgrid_call call{};
    call.size = sizeof call;
    call.device = p.device == kernels::Device::Cpu ? REELGRID_CPU : REELGRID_CUDA;
    call.dtype = typeOf(p.type);
    call.causal = p.mask == kernels::Mask::Causal ? 1 : 0;
    call.batch = p.batch;
    call.query_heads = p.queryHeads;
    call.key_heads = p.keyHeads;
    call.queries = p.queries;
    call.keys = p.keys;
    call.head_dim = p.headDim;
    call.q = p.q;
    call.k = p.k;
    call.v = p.v;
    call.out = p.out;
    call.q_strides = stridesOf(p.qStrides);
    call.k_strides = stridesOf(p.kStrides);
    call.v_strides = stridesOf(p.vStrides);
    call.out_strides = stridesOf(p.outStrides);
    call.scale = p.scale;
    call.threads =
        p.threads > 0 ? p.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    call.key_bias = p.keyBias;
    call.log_sum_exp = p.lse;
    call.stream = p.stream;
    const kernels::CallContext& context = p.context;
    call.frames = context.grid.frames;
    call.rows = context.grid.rows;
    call.columns = context.grid.columns;
    call.text_before = context.grid.textBefore;
    call.text_after = context.grid.textAfter;
    call.layer = context.layer;
    call.step = context.step;
    call.steps = context.steps;
    call.module = context.module;
    call.branch = context.branch;
    call.family = context.family;
    return call;
}

/// A call with its options, which it points to.
struct CallWithOptions {
    explicit CallWithOptions(const AttentionProblem& problem) : call(callOf(problem)) {
        for (const kernels::OptionValue& option : problem.context.options)
            values.push_back({option.key.c_str(), option.value.c_str()});
        call.options = static_cast<std::int32_t>(values.size());
        call.option_values = values.data();
    }
    CallWithOptions(const CallWithOptions&) = delete;
    CallWithOptions& operator=(const CallWithOptions&) = delete;

    std::vector<reelgrid_option_value> values;
    reelgrid_call call;
};

constexpr std::size_t kMostReasonBytes = 512;

/// What a plug-in wrote into a buffer, as one line.
std::string lineOf(const std::array<char, kMostReasonBytes>& text) {
    return inOneLine(std::string(text.data(), strnlen(text.data(), text.size())));
}

/// What an exception says, as one line: a compiler's log may be of any length.
std::string lineOf(const std::exception& failure) {
    const std::string_view what = failure.what();
    return inOneLine(std::string(what.substr(0, kMostReasonBytes))) +
           (what.size() > kMostReasonBytes ? " …" : "");
}

/// A plug-in that closes whatever is open takes away every way to say so but one.
void requireStreams() {
    if (fcntl(STDERR_FILENO, F_GETFD) == -1) _exit(protocol::kStreamsClosedExit);
}

/// Calls a plug-in's function; what it throws becomes a Failure with its name. `threads`: as
/// FloatingPointState has them.
template <class Call>
auto guarded(const std::string& blamed, Call call, int threads = 1) {
    const BlameScope blame(blamed);
    const FloatingPointState state(threads);
    try {
        const auto result = call();
        requireStreams();
        return result;
    } catch (const std::exception& failure) {
        throw Failure(ErrorCode::Internal, blamed + " threw an exception: " + lineOf(failure));
    } catch (...) {
        throw Failure(ErrorCode::Internal, blamed + " threw an exception");
    }
}

}  // namespace

std::string blameOf(const kernels::PluginDescription& description) {
    return "plug-in " + description.name + " (" + description.file + ")";
}

LibraryKernel::LibraryKernel(const kernels::PluginDescription& description)
    : m_file(description.file),
      m_name(description.name),
      m_sha256(description.sha256),
      m_inSupports(blameOf(description) + ", in supports(),"),
      m_inWorkspace(blameOf(description) + ", in workspace_bytes(),"),
      m_inRun(blameOf(description) + ", in run(),") {}

const reelgrid_backend& LibraryKernel::backend() {
    if (m_backend != nullptr) return *m_backend;
    // A result names the file's hash: what is loaded must be what was described.
    if (pluginHash(m_file).value() != m_sha256)
        throw Failure(ErrorCode::InvalidData,
                      m_file.string() + ": it has changed since this program started");
    m_library = PluginLibrary::open(m_file).value();
    m_backend = m_library->find(m_name);
    if (m_backend == nullptr)
        throw Failure(ErrorCode::InvalidData,
                      m_file.string() + ": it has no backend " + m_name + " any more");
    return *m_backend;
}

std::optional<std::string> LibraryKernel::whyNot(const AttentionProblem& problem) {
    const reelgrid_backend& own = backend();
    if (own.supports == nullptr) return std::nullopt;
    const CallWithOptions with(problem);
    std::array<char, kMostReasonBytes> reason{};
    if (guarded(m_inSupports, [&] { return own.supports(&own, &with.call, reason.data(), reason.size()); }) !=
        0)
        return std::nullopt;
    const std::string why = lineOf(reason);
    return why.empty() ? "its plug-in gives no reason" : why;
}

std::int64_t LibraryKernel::workspaceBytes(const AttentionProblem& problem) {
    const reelgrid_backend& own = backend();
    if (own.workspace_bytes == nullptr) return 0;
    const CallWithOptions with(problem);
    m_workspaceBytes = guarded(m_inWorkspace, [&] { return own.workspace_bytes(&own, &with.call); });
    if (m_workspaceBytes > kMostWorkspaceBytes)
        throw Failure(ErrorCode::InvalidData,
                      m_inWorkspace + " asked for " + std::to_string(m_workspaceBytes) + " bytes");
    return static_cast<std::int64_t>(m_workspaceBytes);
}

void LibraryKernel::attend(const AttentionProblem& problem) {
    const reelgrid_backend& own = backend();
    CallWithOptions with(problem);
    with.call.workspace = problem.workspace;
    with.call.workspace_bytes = m_workspaceBytes;
    std::array<char, kMostReasonBytes> error{};
    const int threads = problem.device == kernels::Device::Cpu ? with.call.threads : 1;
    const int status = guarded(
        m_inRun, [&] { return own.run(&own, &with.call, error.data(), error.size()); }, threads);
    if (status == 0) return;
    const std::string why = lineOf(error);
    throw Failure(ErrorCode::Internal,
                  m_inRun + " failed with " + std::to_string(status) + (why.empty() ? "" : ": " + why));
}

}  // namespace reelgrid::plugins
