#include "core/profile/event_group.h"

#include <gtest/gtest.h>

namespace reelgrid::profile {
namespace {

TEST(EventGroup, IsToldByTheNamesOfOperatorsAndKernels) {
    struct Known {
        EventKind kind;
        const char* name;
        std::optional<Group> group;
    };
    using enum EventKind;
    for (const Known& known : {
             Known{Op, "aten::scaled_dot_product_attention", Group::Attention},
             Known{Op, "aten::_scaled_dot_product_flash_attention_for_cpu", Group::Attention},
             Known{Kernel, "_attn_fwd", Group::Attention},
             Known{Kernel, "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64>>", Group::Attention},
             Known{Op, "aten::addmm", Group::Products},
             Known{Op, "onednn_addmm(32760, 1536, 1536)", Group::Products},
             Known{Op, "mkldnn::_linear_pointwise", Group::Products},
             Known{Op, "mkldnn::_reorder_linear_weight", Group::Copies},
             Known{Op, "reelgrid::int8_linear", Group::Products},
             Known{Kernel, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNN", Group::Products},
             Known{Kernel, "sm90_xmma_fprop_implicit_gemm_bf16", Group::Convolutions},
             Known{Op, "reelgrid::winograd_conv", Group::Convolutions},
             Known{Op, "aten::mkldnn_convolution", Group::Convolutions},
             Known{Kernel, "void convert_fp8_kernel", std::nullopt},
             Known{Op, "aten::native_layer_norm", Group::Norms},
             Known{Op, "aten::normal_", std::nullopt},
             Known{Op, "aten::copy_", Group::Copies},
             Known{Op, "aten::to", Group::Copies},
             Known{Op, "aten::topk", std::nullopt},
             Known{Copy, "Memcpy HtoD (Pageable -> Device)", Group::Copies},
             Known{Op, "aten::add", Group::Elementwise},
             Known{Op, "aten::addcmul_", Group::Elementwise},
             Known{Kernel, "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>",
                   Group::Elementwise},
             Known{Kernel, "void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda>",
                   Group::Copies},
             Known{Runtime, "cudaStreamSynchronize", Group::HostWaits},
             Known{Runtime, "cudaLaunchKernel", std::nullopt},
             Known{Op, "aten::_local_scalar_dense", Group::HostWaits},
             Known{Range, "self-attention fav3", Group::Attention},
             Known{Range, "norms", Group::Norms},
             Known{Range, "attention is all you need", std::nullopt},
         })
        EXPECT_EQ(ownGroup(known.kind, known.name), known.group) << known.name;
}

TEST(EventGroup, WhatRunsInsideAnAttentionIsAttention) {
    EXPECT_EQ(groupWithin(Group::Attention, Group::Products), Group::Attention);
    EXPECT_EQ(groupWithin(Group::Convolutions, Group::Copies), Group::Convolutions);
    EXPECT_EQ(groupWithin(Group::Attention, Group::HostWaits), Group::HostWaits);
    EXPECT_EQ(groupWithin(Group::Products, Group::Copies), Group::Copies);
    EXPECT_EQ(groupWithin(Group::Products, std::nullopt), Group::Products);
    EXPECT_EQ(groupWithin(Group::Copies, std::nullopt), Group::Other);
}

TEST(EventGroup, PlacesAreNamedByRangesAlone) {
    EXPECT_EQ(placeOf(EventKind::Range, "step 3"), PlaceKind::Step);
    EXPECT_EQ(placeOf(EventKind::Range, "ProfilerStep#12"), PlaceKind::Step);
    EXPECT_EQ(placeOf(EventKind::Range, "layer 0"), PlaceKind::Layer);
    EXPECT_EQ(placeOf(EventKind::Range, "decode"), PlaceKind::Stage);
    EXPECT_EQ(placeOf(EventKind::Op, "decode"), std::nullopt);
    EXPECT_EQ(placeOf(EventKind::Range, "step three"), std::nullopt);
    EXPECT_EQ(placeOf(EventKind::Range, "layer "), std::nullopt);
}

}  // namespace
}  // namespace reelgrid::profile
