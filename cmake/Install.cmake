# cmake --install build/release --prefix DIR: programs, libtorch's CPU half, resources, what a desktop wants to know, the
# header and examples for plug-ins. What is installed finds its parts relative to itself and can be moved.
# packaging/package adds what takes other programs to make: manual pages, completions, icons in pixels.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATADIR}/doc/reelgrid")
set(share "${CMAKE_INSTALL_DATADIR}/reelgrid")
set(private lib/reelgrid) # core/devices/cuda_half.cpp and core/plugins/plugin_library.cpp look here
set(desktop "${PROJECT_SOURCE_DIR}/packaging/desktop")
if(TARGET reelgrid_cli)
    set_target_properties(reelgrid_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${private}/libtorch")
    install(TARGETS reelgrid_cli RUNTIME)
    foreach(library torch/lib/libtorch_cpu.so torch/lib/libc10.so nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/libcupti.so.13)
        install(FILES "${REELGRID_LIBTORCH_SITE}/${library}" DESTINATION "${private}/libtorch")
    endforeach()
    install(PROGRAMS "${PROJECT_SOURCE_DIR}/packaging/setup-libtorch" "${PROJECT_SOURCE_DIR}/packaging/wants-cuda"
        DESTINATION "${share}/setup")
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/libtorch-wheels.txt" "${PROJECT_SOURCE_DIR}/packaging/libtorch-cuda-wheels.txt"
        DESTINATION "${share}/setup")
endif()
if(TARGET reelgrid)
    install(TARGETS reelgrid RUNTIME)
    install(FILES "${desktop}/reelgrid.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES "${desktop}/reelgrid.metainfo.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
    install(FILES "${desktop}/reelgrid-session.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages")
    install(FILES "${PROJECT_SOURCE_DIR}/resources/icons/reelgrid.svg"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
    install(FILES "${desktop}/application-x-reelgrid-session.svg"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/mimetypes")
endif()
if(TARGET reelgrid_cuda)
    set_target_properties(reelgrid_cuda PROPERTIES INSTALL_RPATH "$ORIGIN/libtorch")
    install(TARGETS reelgrid_cuda LIBRARY DESTINATION "${private}" OPTIONAL)
endif()
if(TARGET reelgrid_torch_operator)
    set_target_properties(reelgrid_torch_operator PROPERTIES INSTALL_RPATH "$ORIGIN/libtorch")
    install(TARGETS reelgrid_torch_operator LIBRARY DESTINATION "${private}")
endif()
foreach(folder backends demo engines models previews prompts recipes) # the others are compiled in
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/resources/${folder}" DESTINATION "${share}"
        PATTERN recipe EXCLUDE PATTERN render EXCLUDE)
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/resources/backends/include/reelgrid" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" "${PROJECT_SOURCE_DIR}/packaging/NOTICES.md"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}")
