# stowage_add_test(name SOURCES ... LIBS ... [TIMEOUT s])          a serial GoogleTest program, label "serial"
# stowage_add_mpi_test(name RANKS 1 2 3 ... SOURCES ... LIBS ... [TIMEOUT s] [ENV A=B ...])
#     one GoogleTest program, run under the launcher once a rank count, label "mpi"; needs no main() of its own
# stowage_add_script_test(name COMMAND ... [TIMEOUT s] [LABELS l] [ENV A=B ...])    a command, label "script"
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
set(STOWAGE_DATA_DIR "${PROJECT_SOURCE_DIR}/../shared/data" CACHE PATH
    "Folder of large real test inputs that are not part of this repository; tests that need it say so when it is absent")

set(STOWAGE_SANITIZER_ENV
  "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:abort_on_error=0:detect_stack_use_after_return=1"
  "UBSAN_OPTIONS=print_stacktrace=1")
set(STOWAGE_MPI_ENV
  "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" "OMPI_MCA_mpi_yield_when_idle=1"
  "OMPI_MCA_rmaps_base_oversubscribe=1" "OMPI_MCA_hwloc_base_binding_policy=none"
  "LD_PRELOAD=${PROJECT_BINARY_DIR}/stowage_gentle_yield.so" ${STOWAGE_SANITIZER_ENV})
set(STOWAGE_MPIRUN ${MPIEXEC_EXECUTABLE} --oversubscribe)

function(stowage_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE STOWAGE_DATA_DIR="${STOWAGE_DATA_DIR}")
  target_link_libraries(test_${name} PRIVATE ${ARG_LIBS} stowage_options GTest::gmock GTest::gtest_main rapidcheck)
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS serial ENVIRONMENT "${STOWAGE_SANITIZER_ENV}")
endfunction()

function(stowage_add_mpi_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "RANKS;SOURCES;LIBS;ENV" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(mpi_test_${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/mpi_tests/support/mpi_main.cpp)
  target_include_directories(mpi_test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/mpi_tests ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(mpi_test_${name} PRIVATE STOWAGE_DATA_DIR="${STOWAGE_DATA_DIR}")
  target_link_libraries(mpi_test_${name} PRIVATE ${ARG_LIBS} stowage_options MPI::MPI_C GTest::gtest)
  foreach(ranks IN LISTS ARG_RANKS)
    add_test(NAME ${name}.np${ranks}
             COMMAND ${STOWAGE_MPIRUN} -n ${ranks} $<TARGET_FILE:mpi_test_${name}> --gtest_brief=1)
    set_tests_properties(${name}.np${ranks} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS mpi PROCESSORS 2
                         ENVIRONMENT "${STOWAGE_MPI_ENV};${ARG_ENV}")
  endforeach()
endfunction()

function(stowage_add_script_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;LABELS" "COMMAND;ENV" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "script;${ARG_LABELS}" PROCESSORS 2
                       ENVIRONMENT "STOWAGE=$<TARGET_FILE:stowage_cli>;STOWAGE_DATA_DIR=${STOWAGE_DATA_DIR};${STOWAGE_MPI_ENV};${ARG_ENV}")
endfunction()
