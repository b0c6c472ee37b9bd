# fish completion for heft(1)

function __heft_sources
    set -l done (string match -r '^.*,' -- (commandline -ct))
    for name in (heft --list-sources 2>/dev/null | string replace -r ' .*' '')
        echo $done$name
    end
end

complete -c heft -n __fish_is_first_arg -a size -d 'where the bytes of programs go'
complete -c heft -n __fish_is_first_arg -a where -d 'what is at an address'
complete -c heft -n __fish_is_first_arg -a blocks -d 'functions and their basic blocks'
complete -c heft -n __fish_is_first_arg -a help -d 'what a command does'

complete -c heft -s d -x -a '(__heft_sources)' -d 'data sources, one a level'
complete -c heft -l list-sources -d 'show the data sources there are'
complete -c heft -l source-filter -x -d 'count only what has a matching label'
complete -c heft -l exclude-filter -x -d 'leave out what has a matching label'
complete -c heft -s c -r -d 'read a configuration file'
complete -c heft -l debug-file -r -d 'separate debug file, same build id'
complete -c heft -s D -l debug-dir -x -a '(__fish_complete_directories)' -d 'look for debug files here first'
complete -c heft -l no-debug-search -d 'use no debug file that was not named'
complete -c heft -l depth -x -d 'directories: so many levels, a component each'
complete -c heft -l path-map -x -d 'source paths: a prefix that is shown as another'
complete -c heft -l strip-prefix -x -a '(__fish_complete_directories)' -d 'source paths: a prefix not to show'
complete -c heft -s n -x -d 'rows a level, 0 for all'
complete -c heft -s s -x -a 'vm file both' -d 'size to sort by'
complete -c heft -l sort -x -a 'size delta name' -d 'order of the rows'
complete -c heft -l domain -x -a 'vm file both' -d 'columns to show, and to sort by'
complete -c heft -s C -l demangle -x -a 'none short full' -d 'names of symbols'
complete -c heft -l count -d 'a column with the number of symbols'
complete -c heft -l aliases -d 'other symbols of the same bytes, below their owner'
complete -c heft -l old-new -d 'a diff shows old and new sizes as well'
complete -c heft -l csv -d 'comma-separated values, in bytes'
complete -c heft -l tsv -d 'tab-separated values, in bytes'
complete -c heft -l json -d 'JSON, in bytes'
complete -c heft -l folded -d 'stacks for flame graphs, all rows, in bytes'
complete -c heft -l raw-map -d 'every range with its labels, no table'
complete -c heft -s w -d 'never cut labels'
complete -c heft -l color -x -a 'auto always never' -d 'colours'
complete -c heft -s o -r -d 'write there, all or nothing'
complete -c heft -s v -d 'notes with offsets, raw map; twice: every claim'
complete -c heft -l debug-vmaddr -x -d 'claims for this virtual address'
complete -c heft -l debug-fileoff -x -d 'claims for this file offset'
complete -c heft -l exit-code -d 'status 1 if a diff finds differences'
complete -c heft -l threads -x -d 'threads to use'
complete -c heft -s h -l help -d 'show all options'
complete -c heft -l version -d 'show the version'
complete -c heft -l dsym -x -a '(__fish_complete_directories)' -d 'not supported yet'
complete -c heft -l source-map -x -d 'not supported yet'
complete -c heft -l disassemble -x -d 'not supported yet'

complete -c heft -n '__fish_seen_subcommand_from where' -l terse -d 'functions and lines alone, as llvm-symbolizer'
complete -c heft -n '__fish_seen_subcommand_from blocks' -l function -x -d 'this function alone'
