# Starts what was typed, such as ./bakeoff, and offers what it prints, a line each.
_bakeoff_completion() {
    local IFS=$'\n'
    COMPREPLY=($(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" _BAKEOFF_COMPLETE=complete_bash \
        "$1" 2>/dev/null))
}
complete -o default -F _bakeoff_completion bakeoff ./bakeoff
