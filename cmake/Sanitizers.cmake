# What runs under which sanitizer, and why, is said in packaging/test-sanitized.
set(REELGRID_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize= takes them (e.g. address,undefined)")
if(REELGRID_SANITIZE)
    add_compile_options(-fsanitize=${REELGRID_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${REELGRID_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Between the checks GCC loses track of what is set where; release builds keep the warning.
        add_compile_options(-Wno-maybe-uninitialized)
    endif()
endif()

# reelgrid_sanitize_lightly(<sources>): for the attention kernels, one function a combination of policies, each unrolled
# over vectors. With every check inlined they compile for ten minutes, so AddressSanitizer checks their loads and
# stores by calls and UBSan leaves them alone: their arithmetic (overflow, shifts, alignment) stays unchecked there,
# the tests against float64 attention have to notice. ThreadSanitizer leaves them alone altogether: it can't see
# OpenMP's barriers.
function(reelgrid_sanitize_lightly)
    if(REELGRID_SANITIZE MATCHES "address")
        set(light -fno-sanitize=undefined --param=asan-instrumentation-with-call-threshold=0)
    elseif(REELGRID_SANITIZE)
        set(light -fno-sanitize=all)
    endif()
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${light})
endfunction()
