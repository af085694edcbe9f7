# reelgrid_compile_lightly(): in this folder and below a release is compiled with -O1. For code that decides, reads and says; what goes over
# pixels, tensors or bytes keeps -O3. -O1 takes a quarter to a third off a unit's compile time.
function(reelgrid_compile_lightly)
    add_compile_options($<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()
