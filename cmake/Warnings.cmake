# Warnings for every target that links reelgrid::warnings (PRIVATE). They are errors where we look at them, in the preset dev
# and in CI: a compiler that we don't know may see what isn't there, and mustn't stop a user.
option(REELGRID_WERROR "Make warnings errors" OFF)
add_library(reelgrid_warnings INTERFACE)
add_library(reelgrid::warnings ALIAS reelgrid_warnings)
target_compile_options(reelgrid_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wold-style-cast;-Woverloaded-virtual>"
    # Fewer for nvcc: the host compiler sees what nvcc makes of a source.
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(REELGRID_WERROR)
    target_compile_options(reelgrid_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(REELGRID_UNITY)
    # GCC takes the sources of a batch for headers.
    target_compile_options(reelgrid_warnings INTERFACE
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
endif()
target_compile_definitions(reelgrid_warnings INTERFACE QT_NO_KEYWORDS)

# reelgrid_concatenates_text(<target>): for targets that make much text. GCC 12 sees overlapping copies in
# `"text" + std::string` (its bug 105651).
function(reelgrid_concatenates_text target)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
