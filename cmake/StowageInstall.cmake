# Installs the command, the shared library with its headers, a CMake package and a pkg-config file. The installed tree
# may be moved as a whole.
include(CMakePackageConfigHelpers)
set(STOWAGE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/stowage")
set(STOWAGE_PKGCONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set_target_properties(stowage_cli stowage_shared PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)  # MPI, HDF5 in odd places
install(TARGETS stowage_cli stowage_run RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS stowage_shared EXPORT stowageTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

install(EXPORT stowageTargets NAMESPACE stowage:: DESTINATION "${STOWAGE_PACKAGE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stowageConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/stowageConfig.cmake" INSTALL_DESTINATION "${STOWAGE_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/stowageConfig.cmake" "${PROJECT_BINARY_DIR}/stowageConfigVersion.cmake"
  DESTINATION "${STOWAGE_PACKAGE_DIR}")

file(RELATIVE_PATH STOWAGE_PC_TO_PREFIX "/prefix/${STOWAGE_PKGCONFIG_DIR}" "/prefix")
string(REGEX REPLACE "/$" "" STOWAGE_PC_TO_PREFIX "${STOWAGE_PC_TO_PREFIX}")
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE mpi_cflags)
get_target_property(definitions stowage_shared INTERFACE_COMPILE_DEFINITIONS)
list(TRANSFORM definitions PREPEND "-D")
list(JOIN mpi_cflags " " STOWAGE_PC_MPI_CFLAGS)
list(JOIN definitions " " STOWAGE_PC_DEFINITIONS)
list(JOIN MPI_C_LIBRARIES " " STOWAGE_PC_MPI_LIBS)
configure_file("${PROJECT_SOURCE_DIR}/cmake/stowage.pc.in" "${PROJECT_BINARY_DIR}/stowage.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/stowage.pc" DESTINATION "${STOWAGE_PKGCONFIG_DIR}")
