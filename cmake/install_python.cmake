# The contents of Debian's packages of the Python packages. They hold sources for every Python of the machine, and links
# to the library and program of other packages. A wheel has its own copy of these. A plain `cmake --install` leaves them
# out, because other Pythons have other folders.
set(python_folder lib/python3/dist-packages)

# python_package(COMPONENT MODULE DISTRIBUTION PART TARGET): PART in the module is a link to /usr/TARGET.
function(python_package component module distribution part target)
  install(DIRECTORY python/${module} DESTINATION ${python_folder} COMPONENT ${component} EXCLUDE_FROM_ALL PATTERN __pycache__ EXCLUDE)
  # importlib.metadata reads the version from it.
  set(metadata ${PROJECT_BINARY_DIR}/installed/${module}.dist-info)
  configure_file(cmake/packages/METADATA.in ${metadata}/METADATA @ONLY)
  install(FILES ${metadata}/METADATA DESTINATION ${python_folder}/${module}-${PROJECT_VERSION}.dist-info COMPONENT ${component} EXCLUDE_FROM_ALL)
  get_filename_component(folder ${python_folder}/${module}/${part} DIRECTORY)
  get_filename_component(name ${part} NAME)
  file(RELATIVE_PATH way /usr/${folder} /usr/${target})
  file(CREATE_LINK ${way} ${PROJECT_BINARY_DIR}/installed/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/installed/${name} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

python_package(python_runtime hone_runtime hone-runtime lib/libhone.so ${CMAKE_INSTALL_LIBDIR}/libhone.so.0)
if(TARGET hone_call)
  install(TARGETS hone_call LIBRARY DESTINATION ${python_folder}/hone_runtime COMPONENT python_runtime EXCLUDE_FROM_ALL)
endif()
if(NOT HONE_RUNNER_ONLY)
  python_package(python hone hone bin/hone ${CMAKE_INSTALL_BINDIR}/hone)
endif()
