# SPDX-License-Identifier: GPL-3.0-or-later
# Third-party libraries, all from distribution packages. Engine code names the imported targets below.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)

if(PITWALL_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(OPENSSL_USE_STATIC_LIBS ON)
  add_link_options(-static-libstdc++ -static-libgcc)
  set(PITWALL_LOG_TARGET spdlog::spdlog_header_only)
else()
  set(PITWALL_LOG_TARGET spdlog::spdlog)
endif()
find_package(OpenSSL REQUIRED)

# Boost.Asio and Boost.Beast are header-only; no Boost library is linked.
find_package(Boost 1.74 REQUIRED)
add_library(pitwall_boost INTERFACE)
target_include_directories(pitwall_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(pitwall_boost INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
target_link_libraries(pitwall_boost INTERFACE Threads::Threads OpenSSL::SSL OpenSSL::Crypto)

find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
add_library(pitwall_pcre2 INTERFACE)
target_include_directories(pitwall_pcre2 SYSTEM INTERFACE ${PCRE2_INCLUDE_DIR})
target_link_libraries(pitwall_pcre2 INTERFACE ${PCRE2_LIBRARY})

# ICU's C++ and C interfaces of the common library: character classes and normalization forms.
find_library(ICU_UC_LIBRARY icuuc REQUIRED)
find_library(ICU_DATA_LIBRARY icudata REQUIRED)
find_path(ICU_INCLUDE_DIR unicode/normalizer2.h REQUIRED)
add_library(pitwall_icu INTERFACE)
target_include_directories(pitwall_icu SYSTEM INTERFACE ${ICU_INCLUDE_DIR})
target_link_libraries(pitwall_icu INTERFACE ${ICU_UC_LIBRARY} ${ICU_DATA_LIBRARY})

find_library(SQLITECPP_LIBRARY SQLiteCpp REQUIRED)
find_library(SQLITE3_LIBRARY sqlite3 REQUIRED)
find_path(SQLITECPP_INCLUDE_DIR SQLiteCpp/SQLiteCpp.h REQUIRED)
add_library(pitwall_sqlite INTERFACE)
target_include_directories(pitwall_sqlite SYSTEM INTERFACE ${SQLITECPP_INCLUDE_DIR})
target_link_libraries(pitwall_sqlite INTERFACE ${SQLITECPP_LIBRARY} ${SQLITE3_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})

find_library(YAML_CPP_LIBRARY yaml-cpp REQUIRED)
find_path(YAML_CPP_INCLUDE_DIR yaml-cpp/yaml.h REQUIRED)
add_library(pitwall_yaml INTERFACE)
target_include_directories(pitwall_yaml SYSTEM INTERFACE ${YAML_CPP_INCLUDE_DIR})
target_link_libraries(pitwall_yaml INTERFACE ${YAML_CPP_LIBRARY})

if(PITWALL_UI OR PITWALL_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()
if(PITWALL_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets DBus Network Charts Svg PrintSupport LinguistTools)
  find_library(MD4C_LIBRARY md4c REQUIRED)
  find_library(MD4C_HTML_LIBRARY md4c-html REQUIRED)
endif()
