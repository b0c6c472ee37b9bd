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

# Options, and the values of the option in front.
function __heft_options
    set -l command (__heft_command)
    set -l before (commandline -opc)[-1]
    set -l word (commandline -ct)
    heft help --words 2>/dev/null | while read -l -d \t name option value text
        if test "$name" = @; and string match -q -- '@*' $word
            printf '%s\t%s\n' $option $text
        end
        test "$name" = "$command"; and test -n "$option"; or continue
        if test "$option" = "$before"; or string match -q -- "$option=*" $word
            set -l front (string match -r -- '^--[a-z-]+=' $word)
            if string match -q 'A,B*' $value
                set -l done (string match -r '^.*,' -- $word)
                for source in (heft --list-sources 2>/dev/null | string replace -r ' .*' '')
                    echo "$front$done$source"
                end
            else if string match -q '*|*' $value
                for choice in (string split '|' $value)
                    echo "$front$choice"
                end
            end
        else if string match -q -- '-*' $word
            printf '%s\t%s\n' $option $text
        end
    end
end

# First words of commands; second words of the family in front.
function __heft_commands
    set -l words (commandline -opc)
    heft help --words 2>/dev/null | while read -l -d \t name option value text
        test -z "$option"; or continue
        if test (count $words) -eq 1
            printf '%s\t%s\n' (string replace -r ' .*' '' $name) $text
        else if test (count $words) -eq 2; and test "$words[2]" = help
            printf '%s\t%s\n' (string replace -r ' .*' '' $name) $text
        else if test (count $words) -eq 2; and string match -q "$words[2] *" $name
            printf '%s\t%s\n' (string replace -r '^[^ ]* ' '' $name) $text
        end
    end
    test (count $words) -eq 1; and printf 'help\twhat a command does\n'
end

complete -c heft -a '(__heft_commands)'
complete -c heft -a '(__heft_options)'
