# Declares reelgrid::torch from the C++ library inside the PyPI wheel (packaging/setup-libtorch unpacks it).
# find_package(Torch) is no help here: the CUDA wheel's config stops where there is no toolkit.
include_guard(GLOBAL)
set(REELGRID_LIBTORCH_SITE "" CACHE PATH "site-packages folder that holds torch/ (made by packaging/setup-libtorch)")
if(NOT REELGRID_LIBTORCH_SITE)
    if(DEFINED ENV{REELGRID_CACHE})
        set(_cache "$ENV{REELGRID_CACHE}")
    else()
        set(_cache "$ENV{HOME}/.cache/reelgrid")
    endif()
    set(REELGRID_LIBTORCH_SITE "${_cache}/libtorch-2.11.0/site-packages")
endif()
set(_torch "${REELGRID_LIBTORCH_SITE}/torch")
if(NOT EXISTS "${_torch}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "libtorch is not at ${_torch}: run packaging/setup-libtorch, "
        "or pass -DREELGRID_LIBTORCH_SITE=<site-packages with torch 2.11>, or -DREELGRID_WITH_MODELS=OFF")
endif()

add_library(reelgrid_c10 SHARED IMPORTED GLOBAL)
set_target_properties(reelgrid_c10 PROPERTIES IMPORTED_LOCATION "${_torch}/lib/libc10.so")
add_library(reelgrid_torch_cpu SHARED IMPORTED GLOBAL)
set_target_properties(reelgrid_torch_cpu PROPERTIES IMPORTED_LOCATION "${_torch}/lib/libtorch_cpu.so")

add_library(reelgrid_torch INTERFACE)
add_library(reelgrid::torch ALIAS reelgrid_torch)
target_include_directories(reelgrid_torch SYSTEM INTERFACE
    "${_torch}/include" "${_torch}/include/torch/csrc/api/include")
target_compile_definitions(reelgrid_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(reelgrid_torch INTERFACE reelgrid_torch_cpu reelgrid_c10)
# libtorch_cpu.so finds cudart and cupti through its own $ORIGIN rpath; the linker must be told.
target_link_options(reelgrid_torch INTERFACE "LINKER:-rpath-link,${REELGRID_LIBTORCH_SITE}/nvidia/cu13/lib")

# One precompiled ATen header, reused by every target that calls reelgrid_use_torch().
add_library(reelgrid_torch_pch_host OBJECT "${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp")
target_link_libraries(reelgrid_torch_pch_host PRIVATE reelgrid::torch reelgrid::warnings OpenMP::OpenMP_CXX)
target_precompile_headers(reelgrid_torch_pch_host PRIVATE <ATen/ATen.h>)
function(reelgrid_use_torch target)
    # -Wpedantic changes predefined macros, so a reuser must have the same warnings as the host.
    target_link_libraries(${target} PUBLIC reelgrid::torch OpenMP::OpenMP_CXX PRIVATE reelgrid::warnings)
    target_precompile_headers(${target} REUSE_FROM reelgrid_torch_pch_host)
endfunction()
