# What makes a mistake in reading others' files harder to use: a stack protector, checked copies (_FORTIFY_SOURCE), guarded
# indirect jumps (CET on x86-64, BTI on ARM), programs at random addresses, tables that are read-only once the program has
# begun. tests/packaging/hardening_test.py holds the programs to it. Included behind kernels/, which compute and read nothing.
include(CheckCXXCompilerFlag)
if(REELGRID_SANITIZE)
    return() # sanitizers check more, and their own copies don't go with _FORTIFY_SOURCE
endif()
set(_hardening -fstack-protector-strong)
check_cxx_compiler_flag(-fcf-protection=full REELGRID_HAS_CET)
check_cxx_compiler_flag(-mbranch-protection=standard REELGRID_HAS_BTI)
if(REELGRID_HAS_CET)
    list(APPEND _hardening -fcf-protection=full)
elseif(REELGRID_HAS_BTI)
    list(APPEND _hardening -mbranch-protection=standard)
endif()
# Level 3 came with GCC 12 and clang 9; it wants a C library that knows it (glibc 2.34), which takes it for 2 otherwise.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    list(APPEND _hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
else()
    list(APPEND _hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:${_hardening}>")
# Programs find every function as they start. Not so libraries: the CUDA half is loaded behind what it calls.
add_link_options(LINKER:-z,relro,-z,noexecstack
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie;LINKER:-z,now>")
