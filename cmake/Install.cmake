# cmake --install build/release --prefix DIR: programs, resources, the header and examples for plug-ins.
# libtorch stays where it is: the programs remember its folder.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATADIR}/doc/reelgrid")
set(share "${CMAKE_INSTALL_DATADIR}/reelgrid")
if(TARGET reelgrid_cli)
    install(TARGETS reelgrid_cli RUNTIME)
endif()
if(TARGET reelgrid)
    install(TARGETS reelgrid RUNTIME)
endif()
if(TARGET reelgrid_cuda)
    # Where core/devices/cuda_half.cpp looks for it.
    install(TARGETS reelgrid_cuda LIBRARY DESTINATION lib OPTIONAL)
endif()
if(TARGET reelgrid_torch_operator)
    install(TARGETS reelgrid_torch_operator LIBRARY DESTINATION lib/reelgrid)
endif()
foreach(folder backends models prompts) # the others are compiled in
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/resources/${folder}" DESTINATION "${share}" PATTERN recipe EXCLUDE)
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/resources/backends/include/reelgrid" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
