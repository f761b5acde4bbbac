# find_package(dalembert) gives the target dalembert::dalembert, the static library with its header.
get_filename_component(_dalembert_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET dalembert::dalembert)
  find_package(Threads REQUIRED)
  add_library(dalembert::dalembert STATIC IMPORTED)
  set_target_properties(dalembert::dalembert PROPERTIES
    IMPORTED_LOCATION "${_dalembert_prefix}/lib/libdalembert_c.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_dalembert_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
