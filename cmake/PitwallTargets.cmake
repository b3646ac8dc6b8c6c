# SPDX-License-Identifier: GPL-3.0-or-later
# What every target of the house shares: language level, warnings, sanitizers, and the one way to declare a module.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_compile_options(-Wall -Wextra "$<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>")   # nvcc's own stubs are not pedantic
if(PITWALL_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PITWALL_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options(-fsanitize=${PITWALL_SANITIZE})
endif()
if(PITWALL_CHECKS)
  add_compile_definitions(PITWALL_CHECKS)
endif()

# pitwall_module(NAME LINKS targets…): the static library pitwall_NAME from every .cpp of the current folder.
# Link lines are the law of who may include whom; tests/unit/include_walk_test.cpp reads them.
function(pitwall_module name)
  cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  add_library(pitwall_${name} STATIC ${sources})
  set_target_properties(pitwall_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(pitwall_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(pitwall_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  target_compile_options(pitwall_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wconversion>")
endfunction()

# pitwall_embed_profiles(MODULE FOLDER FUNCTION): the files of profiles/FOLDER travel inside the binary, so that it runs from
# anywhere. FUNCTION(), which the module declares, returns one JSON text a file, sorted by file name.
function(pitwall_embed_profiles module folder function)
  file(GLOB profiles CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/profiles/${folder}/*.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profiles})
  set(PITWALL_EMBED_FOLDER ${folder})
  set(PITWALL_EMBED_FUNCTION ${function})
  set(PITWALL_EMBED_TEXTS "")
  foreach(profile ${profiles})
    file(READ ${profile} text)
    string(APPEND PITWALL_EMBED_TEXTS "    R\"profile(${text})profile\",\n")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${folder}.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_texts.cpp.in ${output} @ONLY)
  target_sources(pitwall_${module} PRIVATE ${output})
endfunction()
