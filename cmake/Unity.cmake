# Several sources are compiled as one translation unit, which costs a third of the time: headers are read once a batch.
# So a name in an anonymous namespace must be unique within its library. A build with -DREELGRID_UNITY=OFF compiles each
# source by itself: quicker to repeat while one file is edited, and it finds a source that includes too little.
option(REELGRID_UNITY "Compile sources in batches" ON)
set(CMAKE_UNITY_BUILD ${REELGRID_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# reelgrid_compile_alone(<sources>): for a source whose names clash with those of others in its library.
function(reelgrid_compile_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
