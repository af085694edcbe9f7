#include "core/plugins/python/python_kernel.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/plugins/crash_report.h"
#include "core/plugins/library_kernel.h"
#include "core/plugins/plugin_library.h"
#include "core/plugins/python/bridge_script.h"
#include "core/plugins/python/cuda_pool.h"
#include "core/plugins/python/memory_spans.h"
#include "core/plugins/python/python_description.h"
#include "core/plugins/python/python_process.h"
#include "core/plugins/python/shared_memory.h"

namespace reelgrid::plugins {
namespace {

using Clock = std::chrono::steady_clock;
using kernels::AttentionProblem;

constexpr std::uint64_t kAlignment = 256;

enum Tensor : std::size_t { kQ, kK, kV, kOut, kKeyBias, kLogSumExp };

std::string sizes(const AttentionProblem& p, std::int64_t heads, std::int64_t tokens) {
    return "[" + std::to_string(p.batch) + ", " + std::to_string(heads) + ", " + std::to_string(tokens) +
           ", " + std::to_string(p.headDim) + "]";
}

std::string shapeOf(const AttentionProblem& p) {
    return "q " + sizes(p, p.queryHeads, p.queries) + ", k and v " + sizes(p, p.keyHeads, p.keys) + " " +
           kernels::nameOf(p.type);
}

template <std::size_t size>
void put(std::array<char, size>& field, std::string_view text) {
    std::memcpy(field.data(), text.data(), std::min(size - 1, text.size()));
}

void put(std::array<std::int64_t, 3>& field, const kernels::Strides& strides) {
    field = {strides.batch, strides.head, strides.token};
}

BridgeCall callFor(const AttentionProblem& p, BridgeQuestion question) {
    BridgeCall call;
    call.question = question;
    call.device = p.device == kernels::Device::Cpu ? 0 : 1;
    call.dtype = static_cast<std::int32_t>(p.type);
    call.causal = p.mask == kernels::Mask::Causal ? 1 : 0;
    call.threads = p.threads;
    call.batch = p.batch;
    call.queryHeads = p.queryHeads;
    call.keyHeads = p.keyHeads;
    call.queries = p.queries;
    call.keys = p.keys;
    call.headDim = p.headDim;
    put(call.strides[kQ], p.qStrides);
    put(call.strides[kK], p.kStrides);
    put(call.strides[kV], p.vStrides);
    call.scale = p.scale;
    const kernels::CallContext& context = p.context;
    const kernels::TokenGrid& grid = context.grid;
    call.grid = {grid.frames, grid.rows, grid.columns, grid.textBefore, grid.textAfter};
    call.layer = context.layer;
    call.step = context.step;
    call.steps = context.steps;
    put(call.module, context.module);
    put(call.branch, context.branch);
    put(call.family, context.family);
    std::string lines;
    for (const kernels::OptionValue& option : context.options)
        lines += option.key + "=" + option.value + "\n";
    put(call.options, lines);
    return call;
}

TensorPlace placeOf(const AttentionProblem& p, const void* begin, std::int64_t heads, std::int64_t tokens,
                    const kernels::Strides& strides) {
    return {static_cast<const std::byte*>(begin),
            {p.batch, heads, tokens, p.headDim},
            strides,
            kernels::sizeOf(p.type)};
}

/// q, k and v.
std::vector<TensorPlace> inputsOf(const AttentionProblem& p) {
    return {placeOf(p, p.q, p.queryHeads, p.queries, p.qStrides),
            placeOf(p, p.k, p.keyHeads, p.keys, p.kStrides), placeOf(p, p.v, p.keyHeads, p.keys, p.vStrides)};
}

/// The output, where Python writes it: as it is wanted if nothing lies between its elements, else without
/// gaps.
struct OutputPlace {
    explicit OutputPlace(const AttentionProblem& p)
        : wanted(placeOf(p, p.out, p.queryHeads, p.queries, p.outStrides)), written(wanted) {
        isWhole = wanted.spanBytes() == wanted.elementsBytes();
        if (!isWhole)
            written.strides = {p.queryHeads * p.queries * p.headDim, p.headDim, p.queryHeads * p.headDim};
    }

    TensorPlace wanted, written;
    bool isWhole = true;
};

std::uint64_t takeRoom(std::uint64_t& end, std::uint64_t bytes) {
    const std::uint64_t offset = (end + kAlignment - 1) / kAlignment * kAlignment;
    end = offset + bytes;
    return offset;
}

constexpr std::uint64_t kFloatBytes = 4;

std::uint64_t logSumExpBytes(const AttentionProblem& p) {
    return static_cast<std::uint64_t>(p.batch * p.queryHeads * p.queries) * kFloatBytes;
}

/// Calls `copy(to, from offset in the written output, rows)` for each stretch of the wanted output.
template <class Copy>
void eachStretch(const OutputPlace& out, const Copy& copy) {
    auto* to = const_cast<std::byte*>(out.wanted.begin);
    if (out.isWhole) return copy(to, std::uint64_t{0}, CudaPool::Rows{1, out.wanted.spanBytes(), 0, 0});
    const auto bytes = [&](std::int64_t elements) {
        return static_cast<std::uint64_t>(elements * out.wanted.elementBytes);
    };
    const auto& [batch, heads, tokens, headDim] = out.wanted.sizes;
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t h = 0; h < heads; ++h)
            copy(to + bytes(b * out.wanted.strides.batch + h * out.wanted.strides.head),
                 bytes(b * out.written.strides.batch + h * out.written.strides.head),
                 CudaPool::Rows{static_cast<std::uint64_t>(tokens), bytes(headDim),
                                bytes(out.written.strides.token), bytes(out.wanted.strides.token)});
}

}  // namespace

PythonKernel::PythonKernel(const kernels::PluginDescription& description)
    : m_said(description), m_blamed(blameOf(description)) {}

PythonKernel::~PythonKernel() {
    if (m_staging != nullptr) m_memory->free(m_staging);
}

PythonProcess& PythonKernel::process() {
    if (m_process) return *m_process;
    // A result names the file's hash: what runs must be what was described.
    if (pluginHash(m_said.file).value() != m_said.sha256)
        throw Failure(ErrorCode::InvalidData, m_said.file + ": it has changed since this program started");
    if (m_memory == nullptr) m_memory = SharedMemory::ofProcess().value();
    const std::string starting = m_blamed + ", as it was imported,";
    reportCrashes();
    const BlameScope blame(starting);
    auto process =
        PythonProcess::start({m_said.interpreter, bridgeScript().value(), m_said.file, m_blamed}, *m_memory);
    if (!process) throw Failure(process.error().code, starting + " failed: " + process.error().message);
    // A result names versions, too.
    if (const std::string runtime = (*process)->runtime(); runtime != m_said.runtime) {
        forgetPythonDescription(m_said.file, m_said.sha256);
        throw Failure(ErrorCode::InvalidData,
                      m_blamed + ": its interpreter has " + runtime + " now, it had " + m_said.runtime +
                          " when the file was described: the next start describes it anew");
    }
    m_process = *std::move(process);
    m_pool.reset();  // the process before it may have had it open
    return *m_process;
}

BridgeReply PythonKernel::ask(const BridgeCall& call, const AttentionProblem& problem, const char* during) {
    PythonProcess& python = process();
    const std::string blamed = m_blamed + ", " + during + " of " + shapeOf(problem) + ",";
    const BlameScope blame(blamed);
    auto reply =
        python.ask(call, call.device == 0 ? PythonProcess::Waiting::Asleep : PythonProcess::Waiting::Awake);
    if (!reply) {
        m_process.reset();
        throw Failure(reply.error().code, blamed + " failed: " + reply.error().message);
    }
    // What has gone wrong on a GPU stays wrong in its process: another one serves the next call.
    if (reply->answer == BridgeAnswer::Failed && call.device != 0) m_process.reset();
    if (reply->answer == BridgeAnswer::Failed)
        throw Failure(ErrorCode::Internal, blamed + " failed: " + textOf(*reply));
    return *std::move(reply);
}

std::optional<std::string> PythonKernel::whyNot(const AttentionProblem& problem) {
    if (!process().has("supports")) return std::nullopt;
    const BridgeReply reply = ask(callFor(problem, BridgeQuestion::Supports), problem, "in supports()");
    return reply.answer == BridgeAnswer::Refused ? std::optional(textOf(reply)) : std::nullopt;
}

void PythonKernel::attend(const AttentionProblem& problem) {
    static_cast<void>(process());
    BridgeCall call = callFor(problem, BridgeQuestion::Attend);
    if (problem.device == kernels::Device::Cpu)
        attendOnCpu(problem, call);
    else
        attendOnGpu(problem, call);
}

void PythonKernel::attendOnCpu(const AttentionProblem& problem, BridgeCall& call) {
    const OutputPlace out(problem);
    put(call.strides[kOut], out.written.strides);
    const std::vector<TensorPlace> inputs = inputsOf(problem);
    // What lies in shared memory stays there; the rest is copied.
    std::vector<TensorPlace> elsewhere;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const auto offset = m_memory->offsetOf(inputs[i].begin, inputs[i].spanBytes()))
            call.offsets[i] = *offset;
        else
            elsewhere.push_back(inputs[i]);
    std::uint64_t end = 0;
    const std::vector<MemorySpan> spans = spansOf(elsewhere, end);
    const auto outOffset =
        out.isWhole ? m_memory->offsetOf(problem.out, out.wanted.spanBytes()) : std::nullopt;
    std::uint64_t outStaged = 0, biasStaged = 0, lseStaged = 0;
    if (!outOffset) outStaged = takeRoom(end, out.written.elementsBytes());
    const auto biasBytes = static_cast<std::uint64_t>(problem.keys) * kFloatBytes;
    if (problem.keyBias != nullptr) biasStaged = takeRoom(end, biasBytes);
    if (problem.lse != nullptr) lseStaged = takeRoom(end, logSumExpBytes(problem));
    if (end > m_stagingBytes) {
        if (m_staging != nullptr) m_memory->free(m_staging);
        m_stagingBytes = 0;
        m_staging = static_cast<std::byte*>(m_memory->allocate(end));
        if (m_staging == nullptr)
            throw Failure(ErrorCode::OutOfMemory,
                          m_blamed + ": no " + std::to_string(end) + " bytes of shared memory are left");
        m_stagingBytes = end;
    }
    const std::uint64_t base = m_staging == nullptr ? 0 : m_memory->offsetOf(m_staging, 0).value();
    for (const MemorySpan& span : spans) std::memcpy(m_staging + span.offset, span.begin, span.bytes);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (call.offsets[i] == kNowhere) call.offsets[i] = base + offsetIn(spans, inputs[i]);
    call.offsets[kOut] = outOffset ? *outOffset : base + outStaged;
    // Where it writes to memory of an earlier call, what it leaves out must not pass for an answer.
    if (!outOffset && m_process->has("out"))
        std::memset(m_memory->at(call.offsets[kOut]), 0xFF, out.written.elementsBytes());
    if (problem.keyBias != nullptr) {
        std::memcpy(m_staging + biasStaged, problem.keyBias, biasBytes);
        call.offsets[kKeyBias] = base + biasStaged;
    }
    if (problem.lse != nullptr) call.offsets[kLogSumExp] = base + lseStaged;
    static_cast<void>(ask(call, problem, "in attend()"));
    if (!outOffset)
        eachStretch(out, [&](std::byte* to, std::uint64_t from, const CudaPool::Rows& rows) {
            for (std::uint64_t row = 0; row < rows.count; ++row)
                std::memcpy(to + row * rows.toPitch, m_staging + outStaged + from + row * rows.fromPitch,
                            rows.bytes);
        });
    if (problem.lse != nullptr) std::memcpy(problem.lse, m_staging + lseStaged, logSumExpBytes(problem));
}

void PythonKernel::attendOnGpu(const AttentionProblem& problem, BridgeCall& call) {
    if (!m_pool) m_pool = std::make_unique<CudaPool>();
    const OutputPlace out(problem);
    put(call.strides[kOut], out.written.strides);
    const std::vector<TensorPlace> inputs = inputsOf(problem);
    std::uint64_t end = 0;
    const std::vector<MemorySpan> spans = spansOf(inputs, end);
    call.offsets[kOut] = takeRoom(end, out.written.elementsBytes());
    const auto biasBytes = static_cast<std::uint64_t>(problem.keys) * kFloatBytes;
    if (problem.keyBias != nullptr) call.offsets[kKeyBias] = takeRoom(end, biasBytes);
    if (problem.lse != nullptr) call.offsets[kLogSumExp] = takeRoom(end, logSumExpBytes(problem));
    m_pool->reserve(end);
    for (const MemorySpan& span : spans) m_pool->copyIn(span.offset, span.begin, span.bytes, problem.stream);
    for (std::size_t i = 0; i < inputs.size(); ++i) call.offsets[i] = offsetIn(spans, inputs[i]);
    if (problem.keyBias != nullptr)
        m_pool->copyIn(call.offsets[kKeyBias], problem.keyBias, biasBytes, problem.stream);
    call.gpu = m_pool->device();
    call.pool = m_pool->handle();
    call.poolBytes = m_pool->bytes();
    call.event = m_pool->recordFor(problem.stream);
    const BridgeReply reply = ask(call, problem, "in attend()");
    m_pool->settle();
    m_pool->waitFor(reply.event, problem.stream);
    eachStretch(out, [&](std::byte* to, std::uint64_t from, const CudaPool::Rows& rows) {
        m_pool->copyOut(to, call.offsets[kOut] + from, rows, problem.stream);
    });
    if (problem.lse != nullptr)
        m_pool->copyOut(problem.lse, call.offsets[kLogSumExp], {1, logSumExpBytes(problem), 0, 0},
                        problem.stream);
}

kernels::PluginMemory* PythonKernel::memory() {
    const auto shared = SharedMemory::ofProcess();
    return shared ? *shared : nullptr;  // without any, calls say what is wrong
}

std::optional<double> PythonKernel::secondsBesideKernel() {
    constexpr std::size_t kTimes = 201;
    const BridgeCall ping;
    std::vector<double> seconds;
    for (std::size_t i = 0; i < kTimes; ++i) {
        const auto begin = Clock::now();
        if (!process().ask(ping, PythonProcess::Waiting::Asleep)) {
            m_process.reset();
            return std::nullopt;
        }
        seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::ranges::nth_element(seconds, seconds.begin() + kTimes / 2);
    return seconds[kTimes / 2];
}

}  // namespace reelgrid::plugins
