/*
 * ReelGrid: bring your own attention kernel.
 *
 * A plug-in is a shared library that exports reelgrid_backend_at() and, behind it, describes one or more
 * attention backends. Build it against this header alone (C99 or later; no library is linked), then
 *
 *     reelgrid-cli backends check ./libmine.so
 *     reelgrid-cli compare --backend-plugin ./libmine.so --types sdpa,mine
 *
 * What a backend computes. With B batch, Hq query heads, Hk key heads, N queries, M keys, D head dim:
 *
 *     out[b,h,i,:] = sum_j w[i,j] * v[b,h/(Hq/Hk),j,:] / sum_j w[i,j]
 *     w[i,j]       = exp(scale * dot(q[b,h,i,:], k[b,h/(Hq/Hk),j,:]) + key_bias[j])
 *
 * or an approximation of that, whose error it claims (claimed_l1). A query that sees no key gives 0.
 *
 * Memory. Element (b,h,t,d) of a tensor is at  base + (b*batch + h*head + t*token + d)  elements: D is
 * contiguous, everything else has strides, in elements. Models hand over [B,N,H,D] memory (token = H*D, head
 * = D), `backends check` [B,H,N,D] and padded memory, too. Pointers are aligned to their element, not to
 * more. q, k, v and key_bias are read only. All of out (and of log_sum_exp, if given) must be written, and
 * nothing else. The program owns every pointer of a call; none may be kept after run() has returned.
 *
 * Devices. CPU: run() returns when out is written; use at most `threads` threads. CUDA: pointers are device
 * memory of the GPU that is current; run() queues its work on `stream` (a cudaStream_t) and doesn't
 * wait for it. No cudaMalloc or cudaFree: ask for memory through workspace_bytes().
 *
 * Workspace. Scratch memory of the call's device, of as many bytes as workspace_bytes() said for this very
 * call, aligned to 64 bytes, uninitialised, used by nobody else until the work of the call has ended.
 *
 * Threads. The functions of a backend are never called at the same time, but perhaps from different threads.
 * reelgrid_backend_at() is also called in a process of its own that only describes: do no work in it.
 *
 * Errors. supports() returns 0 and a reason when this call can't be run: libtorch's sdpa runs instead and the
 * result says why. run() returns 0, or anything else with a line that says what failed: the render ends with
 * it. No exception may leave a function. Write nothing to stdout; stderr is shown when the worker fails.
 *
 * A plug-in runs in a worker process. One that crashes, hangs, leaves NaN or unwritten output, or writes
 * where it may not costs the job that it ran in, which says so.
 *
 * Versions. Every struct begins with its size in bytes. Later versions append fields: read a field of a call
 * only if call->size reaches past it. A program asks for its own number in reelgrid_backend_at(), then for
 * lower ones, of which it knows the structs too: a plug-in that was built against an earlier header goes on
 * working, and one that answers to 1 as well works in earlier programs, which have no options.
 *
 *     1    the first
 *     2    calls say which call of a render they are; backends have options
 */
#ifndef REELGRID_ATTENTION_BACKEND_H
#define REELGRID_ATTENTION_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#define REELGRID_BACKEND_ABI 2u

#define REELGRID_VISIBLE __attribute__((visibility("default")))
#ifdef __cplusplus
#define REELGRID_BACKEND_EXPORT extern "C" REELGRID_VISIBLE
extern "C" {
#else
#define REELGRID_BACKEND_EXPORT REELGRID_VISIBLE
#endif

enum reelgrid_device { REELGRID_CPU = 0, REELGRID_CUDA = 1 };
enum reelgrid_dtype { REELGRID_FP32 = 0, REELGRID_BF16 = 1, REELGRID_FP16 = 2 };

/* What a backend takes beyond q, k and v; bits of reelgrid_backend.features. Without a bit it gets no such
 * call. */
enum reelgrid_feature {
    REELGRID_CAUSAL = 1,      /* query i sees the keys j <= i + M - N: aligned at the bottom right */
    REELGRID_KEY_BIAS = 2,    /* key_bias: fp32 [M]; -inf hides a key */
    REELGRID_SHARED_KEYS = 4, /* Hq > Hk, Hq a multiple of Hk (GQA, MQA) */
    REELGRID_LOG_SUM_EXP = 8  /* log_sum_exp: fp32 [B,Hq,N], contiguous, natural log of sum_j w[i,j] */
};

/* A bit of reelgrid_backend.devices or .dtypes. */
#define REELGRID_BIT(value) (1u << (value))

/* In elements; the head dim's is 1. */
typedef struct reelgrid_strides {
    int64_t batch;
    int64_t head;
    int64_t token;
} reelgrid_strides;

/* A parameter of a backend: its default says what values are like (a whole number, a number, as many of them
 * separated by commas, or text of letters, digits and .,+-_). Users set it by --backend-option
 * NAME.KEY=VALUE.
 */
typedef struct reelgrid_option {
    const char* key;   /* letters, digits, _ or -; 40 at most */
    const char* title; /* one line; may be "" */
    const char* value; /* the default */
} reelgrid_option;

/* Its value in a call. */
typedef struct reelgrid_option_value {
    const char* key;
    const char* value;
} reelgrid_option_value;

/* One call of attention. */
typedef struct reelgrid_call {
    uint64_t size;   /* bytes of this struct, as the program has it */
    int32_t device;  /* enum reelgrid_device: where every pointer leads */
    int32_t dtype;   /* enum reelgrid_dtype, of q, k, v and out */
    int32_t causal;  /* 1 or 0 */
    int32_t threads; /* CPU: at least 1 */
    int64_t batch;
    int64_t query_heads;
    int64_t key_heads;
    int64_t queries;
    int64_t keys;
    int64_t head_dim;
    /* In supports() and workspace_bytes() a pointer says whether it is given, and is not followed. */
    const void* q;
    const void* k;
    const void* v;
    void* out;
    reelgrid_strides q_strides;
    reelgrid_strides k_strides;
    reelgrid_strides v_strides;
    reelgrid_strides out_strides;
    double scale;          /* finite, above 0; usually 1/sqrt(D) */
    const float* key_bias; /* or NULL */
    float* log_sum_exp;    /* or NULL */
    void* stream;          /* CUDA: cudaStream_t, NULL is the default stream */
    void* workspace;       /* NULL when no bytes were asked for */
    uint64_t workspace_bytes;

    /* Since ABI 2: which call of a render it is. What nobody knows is 0, -1 (layer, step) or "". */

    /* The tokens of the queries are text_before of text, then frames * rows * columns of the clip, row by row
     * of each frame in turn, then text_after of text; so are the keys', but in cross-attention. A batch is of
     * several such sequences. frames 0: not known. */
    int64_t frames;
    int64_t rows;
    int64_t columns;
    int64_t text_before;
    int64_t text_after;
    int32_t layer;
    int32_t step;       /* of denoising, from 0 */
    int32_t steps;      /* of the render; 0: not known */
    int32_t options;    /* of option_values */
    const char* module; /* "self", "cross", "joint" (clip and text in one sequence), "temporal" */
    const char* branch; /* of guidance: "conditional", "unconditional" */
    const char* family; /* of the model: "wan2.1" */
    const reelgrid_option_value* option_values; /* every option of the backend, in its order */
} reelgrid_call;

/* A backend. Everything it points to must live as long as the library is loaded. */
typedef struct reelgrid_backend {
    uint64_t size;             /* sizeof(reelgrid_backend) */
    uint32_t abi;              /* REELGRID_BACKEND_ABI */
    uint32_t devices;          /* REELGRID_BIT(REELGRID_CPU) | ... */
    uint32_t dtypes;           /* REELGRID_BIT(REELGRID_BF16) | ... */
    uint32_t features;         /* enum reelgrid_feature */
    int32_t max_head_dim;      /* at least 1 */
    int32_t head_dim_multiple; /* 8: takes head dims 8, 16, 24, ...; at least 1 */
    /* 0: exact, `check` allows twice sdpa's error in the same dtype and a rounding. Else an approximation:
     * the largest sum|out - truth| / sum|truth| that it claims on `check`'s inputs (int8 scores: about 0.05).
     */
    double claimed_l1;
    const char* name;  /* as --attention-type takes it: a letter, then letters, digits, _ or -; 40 at most */
    const char* title; /* one line, 200 bytes at most */
    const char* description; /* what it computes and where it deviates, 4000 bytes at most; may be "" */
    const char* version;     /* of the kernel: "0.3", a commit; may be "" */
    const char* author;      /* may be "" */
    const void* self;        /* the plug-in's own; the program leaves it alone */

    /* 1: can run this call. 0: can't, and `reason` (of `reason_size` bytes, NUL-terminated) says which value
     * it had and what was needed. May be NULL: what the fields above say is all there is to say. */
    int32_t (*supports)(const struct reelgrid_backend* backend, const reelgrid_call* call, char* reason,
                        size_t reason_size);
    /* Bytes of scratch memory that this call needs. May be NULL: none. */
    uint64_t (*workspace_bytes)(const struct reelgrid_backend* backend, const reelgrid_call* call);
    /* 0: done (CPU) or queued (CUDA). */
    int32_t (*run)(const struct reelgrid_backend* backend, const reelgrid_call* call, char* error,
                   size_t error_size);

    /* Since ABI 2. */
    const reelgrid_option* options; /* or NULL */
    uint64_t option_count;          /* 32 at most */
} reelgrid_backend;

/*
 * To be exported (REELGRID_BACKEND_EXPORT): the backend of this number, from 0; NULL past the last one, and
 * always when the plug-in doesn't know `abi`.
 */
REELGRID_VISIBLE const reelgrid_backend* reelgrid_backend_at(uint32_t abi, uint32_t index);

/*
 * May be exported, by plug-ins that need to be told something: the backend that the JSON file `recipe`
 * describes. Such a file is given to --backend-plugin in the library's place and names the library as
 * "plugin"; the rest of it is the plug-in's own. NULL with a line in `error` when the recipe can't be served.
 */
REELGRID_VISIBLE const reelgrid_backend* reelgrid_backend_from_recipe(uint32_t abi, const char* recipe,
                                                                      char* error, size_t error_size);

typedef const reelgrid_backend* (*reelgrid_backend_at_function)(uint32_t, uint32_t);
typedef const reelgrid_backend* (*reelgrid_backend_from_recipe_function)(uint32_t, const char*, char*,
                                                                         size_t);

#ifdef __cplusplus
}
#endif

#endif
