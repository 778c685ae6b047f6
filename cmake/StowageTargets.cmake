# stowage_layer(NAME SOURCES a.cpp ... [DEPENDS lower layers and libraries ...])
#
# One static library a layer of src/, named stowage_NAME. A layer may only name layers below it, so that a wrong
# include does not link. Headers are included from src/ as "layer/file.hpp".
add_library(stowage_options INTERFACE)
target_compile_options(stowage_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(STOWAGE_WERROR)
  target_compile_options(stowage_options INTERFACE -Werror)
endif()
if(STOWAGE_SANITIZE)
  target_compile_options(stowage_options INTERFACE -fsanitize=${STOWAGE_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=undefined)
  target_link_options(stowage_options INTERFACE -fsanitize=${STOWAGE_SANITIZE})
endif()
set(assert_levels light normal comm)
list(FIND assert_levels "${STOWAGE_ASSERT_LEVEL}" assert_index)
if(assert_index LESS 0)
  message(FATAL_ERROR "STOWAGE_ASSERT_LEVEL must be light, normal or comm, got '${STOWAGE_ASSERT_LEVEL}'")
endif()
target_compile_definitions(stowage_options INTERFACE STOWAGE_ASSERT_LEVEL=${assert_index}
                                                     OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

function(stowage_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(stowage_${name} STATIC ${ARG_SOURCES})
  target_include_directories(stowage_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(stowage_${name} PUBLIC ${ARG_DEPENDS} PRIVATE stowage_options)
endfunction()
