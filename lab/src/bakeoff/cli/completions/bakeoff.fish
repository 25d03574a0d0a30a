# Starts what was typed, such as ./bakeoff, and offers what it prints, a line each.
function __bakeoff_complete
    set --local typed (commandline --tokenize --cut-at-cursor --current-process)
    env _BAKEOFF_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=$argv[1] \
        _TYPER_COMPLETE_ARGS=(commandline --cut-at-cursor --current-process) $typed[1] 2>/dev/null
end
complete --command bakeoff --no-files --arguments "(__bakeoff_complete get-args)" \
    --condition "__bakeoff_complete is-args"
