# fish completion for heft(1): what `heft help --words` lists.

# The command that is typed: two words, one, or none, which means size.
function __heft_command
    set -l words (commandline -opc)
    set -l rows (heft help --words 2>/dev/null | string replace -r '\t.*' '')
    for name in "$words[2] $words[3]" "$words[2]"
        if contains -- $name $rows
            echo $name
            return
        end
    end
    echo size
end

# What the value of the option in front is, or of the one that the word itself begins with.
function __heft_value
    set -l command (__heft_command)
    set -l option (commandline -opc)[-1]
    set -l word (commandline -ct)
    if string match -q -- '--*=*' $word
        set option (string replace -r '=.*' '' -- $word)
    end
    heft help --words 2>/dev/null | while read -l -d \t name known value text
        if test "$name" = "$command"; and test "$known" = "$option"
            echo $value
            return
        end
    end
end

# Values of the option.
function __heft_values
    set -l value (__heft_value)
    set -l word (commandline -ct)
    set -l front (string match -r -- '^--[a-z-]+=' $word)
    set word (string replace -- "$front" '' $word)
    if string match -q 'A,B*' $value
        set -l done (string match -r '^.*,' -- $word)
        for source in (heft --list-sources 2>/dev/null | string replace -r ' .*' '')
            echo "$front$done$source"
        end
    else if string match -q '*|*' $value
        for choice in (string split '|' $value)
            echo "$front$choice"
        end
    else if test "$value" = DIR
        for dir in (__fish_complete_directories $word)
            echo "$front$dir"
        end
    end
end

# Options, and ready-made queries.
function __heft_options
    set -l command (__heft_command)
    set -l word (commandline -ct)
    set -l wanted (__heft_value)
    test -z "$wanted"; or return
    heft help --words 2>/dev/null | while read -l -d \t name option value text
        if test "$name" = @; and string match -q -- '@*' $word
            printf '%s\t%s\n' $option $text
        else if test "$name" = "$command"; and test -n "$option"; and string match -q -- '-*' $word
            printf '%s\t%s\n' $option $text
        end
    end
end

# First words of commands; second words of the family in front; behind help both.
function __heft_commands
    set -l words (commandline -opc)
    set -l count (count $words)
    set -l family $words[2]
    if test "$words[2]" = help
        set family $words[3]
        set count (math $count - 1)
    end
    heft help --words 2>/dev/null | while read -l -d \t name option value text
        test -z "$option"; or continue
        if test $count -eq 1
            printf '%s\t%s\n' (string replace -r ' .*' '' $name) $text
        else if test $count -eq 2; and string match -q -- "$family *" $name
            printf '%s\t%s\n' (string replace -r '^[^ ]* ' '' $name) $text
        end
    end
    test (count $words) -eq 1; and printf 'help\twhat a command does\n'
end

# Where no file can stand.
function __heft_no_files
    set -l words (commandline -opc)
    test "$words[2]" = help; or string match -qr -- '\||^A,B|^DIR$|^[A-Z]*(NUM|SIZE|ADDR|REGEX|FUNC)$' (__heft_value)
end

complete -c heft -n __heft_no_files -f
complete -c heft -a '(__heft_commands)'
complete -c heft -a '(__heft_options)'
complete -c heft -a '(__heft_values)'
