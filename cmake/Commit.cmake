# cmake -D SOURCE=… -D TEMPLATE=… -D OUTPUT=… -P Commit.cmake: writes the commit of SOURCE into OUTPUT, which stays untouched
# where nothing changed. A SOURCE that is no git checkout of its own has none.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --show-prefix
    RESULT_VARIABLE failed OUTPUT_VARIABLE below ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(commit "")
if(failed EQUAL 0 AND below STREQUAL "")
    execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
