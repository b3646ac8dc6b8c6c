# SPDX-License-Identifier: GPL-3.0-or-later
# The CUDA language, where a toolkit is there and PITWALL_CUDA does not say OFF. Sets PITWALL_HAS_CUDA.
set(PITWALL_HAS_CUDA OFF)
if(PITWALL_CUDA STREQUAL "OFF")
  return()
endif()
find_program(PITWALL_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT PITWALL_NVCC)
  if(PITWALL_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PITWALL_CUDA=ON but nvcc was not found; install the CUDA toolkit or put nvcc on PATH")
  endif()
  message(STATUS "nvcc was not found: the program is built for the CPU alone")
  return()
endif()

set(CMAKE_CUDA_COMPILER ${PITWALL_NVCC})
set(CMAKE_CUDA_ARCHITECTURES OFF)   # each target names its own
enable_language(CUDA)
find_package(CUDAToolkit 13.0 REQUIRED)
# CMake 3.25 does not know these.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
if(CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
set(PITWALL_HAS_CUDA ON)
message(STATUS "CUDA ${CUDAToolkit_VERSION}: ${PITWALL_CUDA_ARCHITECTURES}")
