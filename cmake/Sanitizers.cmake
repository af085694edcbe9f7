# What runs under which sanitizer, and why, is said in packaging/test-sanitized.
set(REELGRID_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them (e.g. address,undefined)")
if(REELGRID_SANITIZE)
    # nvcc knows none of these: kernels for GPUs stay as they are, their callers are checked.
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${REELGRID_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-fsanitize=${REELGRID_SANITIZE}>")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Between the checks GCC loses track of what is set where; release builds keep the warning.
        add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wno-maybe-uninitialized>")
    endif()
endif()

# For libFuzzer, which follows where an input leads: branches and comparisons are counted in everything of ours. Its own main()
# is linked by tests/fuzz alone. Wants clang.
option(REELGRID_FUZZ "Build tests/fuzz with libFuzzer" OFF)
if(REELGRID_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# For the attention kernels, one function a combination of policies, each unrolled over vectors. With every check inlined
# they compile for ten minutes and run for hours.
#
# reelgrid_sanitize_lightly(<sources>): AddressSanitizer checks their loads and stores, by calls; UBSan leaves them alone, so
# overflow, shifts and alignment stay unchecked there: the tests against float64 attention have to notice.
# ThreadSanitizer leaves them alone altogether: it can't see OpenMP's barriers.
function(reelgrid_sanitize_lightly)
    if(REELGRID_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS
            -fno-sanitize=undefined --param=asan-instrumentation-with-call-threshold=0)
    else()
        reelgrid_leave_unsanitized(${ARGN})
    endif()
endfunction()

# reelgrid_leave_unsanitized(<sources>): for the portable kernels, which are plain loops only until the compiler makes
# vectors of them: checked one value at a time they are a hundred times slower. Their steps and bounds are the templates
# that the other instruction sets check.
function(reelgrid_leave_unsanitized)
    if(REELGRID_SANITIZE)
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
    endif()
endfunction()
