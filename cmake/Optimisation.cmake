# reelgrid_compile_lightly(): in this folder and below a release is compiled with -O1. For code that decides, reads and says; what goes over
# pixels, tensors or bytes keeps -O3. -O1 takes a quarter to a third off a unit's compile time.
include(CheckCXXCompilerFlag)
# GCC 13 and newer turn these on from -O2 on, and a precompiled header counts only where they are as they were when it was made (at -O3).
check_cxx_compiler_flag(-munroll-only-small-loops REELGRID_UNROLLS_SMALL_LOOPS)
set(_of_precompiled "")
if(REELGRID_UNROLLS_SMALL_LOOPS)
    set(_of_precompiled ";-munroll-only-small-loops;-mvzeroupper")
endif()
set(REELGRID_LIGHTLY "-O1${_of_precompiled}")
function(reelgrid_compile_lightly)
    add_compile_options("$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${REELGRID_LIGHTLY}>")
endfunction()
