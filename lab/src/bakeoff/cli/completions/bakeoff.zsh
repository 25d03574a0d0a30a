#compdef bakeoff
# Starts what was typed, such as ./bakeoff, and does what it prints.
_bakeoff_completion() {
    eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _BAKEOFF_COMPLETE=complete_zsh "${words[1]}" 2>/dev/null)
}
compdef _bakeoff_completion bakeoff
