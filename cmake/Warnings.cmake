# Warnings are errors in every target that links reelgrid::warnings (PRIVATE).
add_library(reelgrid_warnings INTERFACE)
add_library(reelgrid::warnings ALIAS reelgrid_warnings)
target_compile_options(reelgrid_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wold-style-cast;-Woverloaded-virtual;-Werror>"
    # Fewer for nvcc: the host compiler sees what nvcc makes of a source.
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;-Werror=all-warnings>")
target_compile_definitions(reelgrid_warnings INTERFACE QT_NO_KEYWORDS)

# reelgrid_concatenates_text(<target>): for targets that make much text. GCC 12 sees overlapping copies in
# `"text" + std::string` (its bug 105651).
function(reelgrid_concatenates_text target)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()
