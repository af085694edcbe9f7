# Whether CUDA is built, with which compiler and for which GPUs. Sets REELGRID_WITH_CUDA and, where it is on, declares
# reelgrid::cuda_runtime: the toolkit's headers and the CUDA runtime that libtorch itself loads.
#
# A toolkit is enough: no GPU and none of libtorch's CUDA libraries need be there. What calls into them is built as a
# shared library with undefined symbols, to be loaded after libtorch_cuda.so.
include_guard(GLOBAL)
set(REELGRID_CUDA AUTO CACHE STRING "Build for NVIDIA GPUs: AUTO (where a CUDA 13 toolkit is), ON or OFF")
set_property(CACHE REELGRID_CUDA PROPERTY STRINGS AUTO ON OFF)
set(REELGRID_CUDA_TOOLKIT "" CACHE PATH "folder of a CUDA 13 toolkit (packaging/setup-cuda-toolkit prints it)")
if(NOT REELGRID_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "REELGRID_CUDA is ${REELGRID_CUDA}: AUTO, ON or OFF wanted")
endif()
set(REELGRID_WITH_CUDA OFF)

# Says why CUDA is not built, which is an error where it was asked for, and leaves this file.
macro(reelgrid_no_cuda why)
    if(REELGRID_CUDA STREQUAL "ON")
        message(FATAL_ERROR "REELGRID_CUDA is ON, but ${why}")
    endif()
    message(STATUS "CUDA: not built: ${why}")
    return()
endmacro()

if(REELGRID_CUDA STREQUAL "OFF" OR NOT REELGRID_WITH_MODELS OR (REELGRID_SANITIZE AND NOT REELGRID_CUDA STREQUAL "ON"))
    # Without libtorch there is no device but the CPU; under sanitizers only where it is asked for.
    return()
endif()

# The compiler.
if(REELGRID_CUDA_TOOLKIT)
    find_program(_nvcc nvcc NO_CACHE PATHS "${REELGRID_CUDA_TOOLKIT}/bin" NO_DEFAULT_PATH)
else()
    find_program(_nvcc NAMES $ENV{CUDACXX} nvcc NO_CACHE PATHS /usr/local/cuda/bin)
endif()
if(NOT _nvcc)
    reelgrid_no_cuda("there is no nvcc: run packaging/setup-cuda-toolkit, or pass -DREELGRID_CUDA_TOOLKIT=<folder>")
endif()
execute_process(COMMAND "${_nvcc}" --version OUTPUT_VARIABLE _version ERROR_QUIET)
string(REGEX MATCH "release ([0-9]+)\\.[0-9]+" _version "${_version}")
if(NOT CMAKE_MATCH_1 STREQUAL "13")
    reelgrid_no_cuda("${_nvcc} is CUDA ${CMAKE_MATCH_1}, 13 wanted as libtorch's")
endif()

# The headers that ATen's CUDA headers include. A compiler from wheels comes without the libraries' own: they lie beside
# libtorch's CUDA half (packaging/setup-libtorch).
include(Libtorch)
get_filename_component(_toolkit "${_nvcc}" REALPATH)
get_filename_component(_toolkit "${_toolkit}/../.." ABSOLUTE)
set(_beside_libtorch "${REELGRID_LIBTORCH_SITE}/nvidia/cu13/include")
set(_include_folders "${_toolkit}/include")
foreach(_header cuda_runtime.h cublas_v2.h cublasLt.h cusparse.h cusolverDn.h)
    if(EXISTS "${_toolkit}/include/${_header}")
        continue()
    elseif(EXISTS "${_beside_libtorch}/${_header}")
        list(APPEND _include_folders "${_beside_libtorch}")
    else()
        reelgrid_no_cuda("neither ${_toolkit}/include nor ${_beside_libtorch} has ${_header}: REELGRID_CUDA=1 packaging/setup-libtorch fetches it")
    endif()
endforeach()
list(REMOVE_DUPLICATES _include_folders)

# Asked through the environment, which the trial project of check_language sees, too. nvcc may refuse this host compiler.
set(ENV{CUDACXX} "${_nvcc}")
set(ENV{CUDAHOSTCXX} "${CMAKE_CXX_COMPILER}")
if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    reelgrid_no_cuda("${_nvcc} does not work with ${CMAKE_CXX_COMPILER}: CMakeFiles/CMakeError.log says why")
endif()

# 90a is what wgmma and TMA need, and runs on Hopper alone; 90-virtual serves what comes after it.
set(CMAKE_CUDA_ARCHITECTURES "75-real;80-real;89-real;90a-real;90-virtual" CACHE STRING "GPUs to build for")
enable_language(CUDA)
# Only now: CMake 3.25.1 (Debian 12) must first be told that nvcc has C++20, as 3.25.2 knows.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
# libtorch's own runtime (below), not a second one from the toolkit.
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
if(CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE}")
endif()

add_library(reelgrid_cudart SHARED IMPORTED GLOBAL)
set_target_properties(reelgrid_cudart PROPERTIES
    IMPORTED_LOCATION "${REELGRID_LIBTORCH_SITE}/nvidia/cu13/lib/libcudart.so.13")
add_library(reelgrid_cuda_runtime INTERFACE)
add_library(reelgrid::cuda_runtime ALIAS reelgrid_cuda_runtime)
target_include_directories(reelgrid_cuda_runtime SYSTEM INTERFACE ${_include_folders})
target_link_libraries(reelgrid_cuda_runtime INTERFACE reelgrid_cudart)
set(REELGRID_WITH_CUDA ON)
message(STATUS "CUDA: ${_nvcc} ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
