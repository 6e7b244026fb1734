include("${CMAKE_CURRENT_LIST_DIR}/LazaretTargets.cmake")
