#pragma once

#include "kernels/cuda/library.h"

namespace reelgrid::kernels::cuda::device {

void addThenNorm(const AddThenNorm& call, void* stream);
void rmsNormRotate(const RmsNormRotate& call, void* stream);
void headNormRotate(const HeadNormRotate& call, void* stream);
void joinHeads(const JoinHeads& call, void* stream);
void channelNorm(const ChannelNorm& call, void* stream);
void addBias(const AddBias& call, void* stream);
void channelSums(const ChannelSums& call, void* stream);
void affineSilu(const AffineSilu& call, void* stream);
void rowsToFp8(const RowsToFp8& call, void* stream);
void groupNorm(const GroupNorm& call, void* stream);
void sumNorm(const SumNorm& call, void* stream);
void gatedGelu(const GatedGelu& call, void* stream);
void blend(const Blend& call, void* stream);
void mergeAttention(const MergeAttention& call, void* stream);
void runValues(const ValueProgram& program, void* stream);
bool multipliesFp8();
void blocksToInt8(const BlocksToInt8& call, void* stream);
void int8Product(const Int8Product& call, void* stream);
bool multipliesInt8();
AttentionPlan planAttention(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cuda::device
