# fish completion for dragoman. It completes the commands and options that --help lists.

# Prints "name<Tab>description" for each command or option that the --help of a command line lists.
function __dragoman_listed
    dragoman $argv --help 2>/dev/null | string match --regex '^  [-a-z]+  .*' | string replace --regex '^  ([-a-z]+) +' '$1\t'
end

# Prints the templates of the catalog that the command line names, or of the one in its usual place.
function __dragoman_templates
    set --local words (commandline -opc)
    set --local catalog
    for index in (seq (count $words))
        if test "$words[$index]" = --catalog
            set catalog --catalog $words[(math $index + 1)]
        else if string match --quiet -- '--catalog=*' $words[$index]
            set catalog $words[$index]
        end
    end
    dragoman preview --list $catalog 2>/dev/null
end

# Whether the cursor is at the second word, the command.
function __dragoman_needs_command
    test (count (commandline -opc)) -eq 1
end

# Whether the command is one of these.
function __dragoman_uses
    set --local words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# Whether the word before the cursor is one of these options.
function __dragoman_after
    contains -- (commandline -opc)[-1] $argv
end

# The options of the command that has been typed.
function __dragoman_options
    __dragoman_listed (commandline -opc)[2]
    printf '%s\t%s\n' --help 'explains the command'
end

set --local files --config --catalog --baseline --output --ca-file --certificate --certificate-key
set --local folders --android --ios --data
set --local values --args --token --fid --topic --condition --app --url --key --locale --prefix --from-messages --allow-host

complete --command dragoman --no-files
complete --command dragoman --condition __dragoman_needs_command --arguments '(__dragoman_listed)'
complete --command dragoman --condition __dragoman_needs_command --arguments 'help\t"describes a command" --help --version'
complete --command dragoman --condition "__dragoman_after $files" --force-files
complete --command dragoman --condition "__dragoman_after $folders" --arguments '(__fish_complete_directories)'
complete --command dragoman --condition '__dragoman_after --format; and __dragoman_uses check' --arguments 'text json sarif github'
complete --command dragoman --condition '__dragoman_after --format; and not __dragoman_uses check' --arguments 'text json'
complete --command dragoman --condition '__dragoman_after --platform' --arguments 'android ios'
complete --command dragoman --condition '__dragoman_after --scope' --arguments 'send read preview raw admin'
complete --command dragoman --condition '__dragoman_after --listen --emulator-listen' --arguments '127.0.0.1:'
complete --command dragoman --condition '__dragoman_after --template' --arguments '(__dragoman_templates)'
set --local taken $files $folders $values --format --platform --scope --listen --emulator-listen --template
complete --command dragoman --condition "not __dragoman_needs_command; and not __dragoman_after $taken; and not __dragoman_uses help" --arguments '(__dragoman_options)'
complete --command dragoman --condition "__dragoman_uses preview send; and not __dragoman_after $taken" --arguments '(__dragoman_templates)'
complete --command dragoman --condition '__dragoman_uses help' --arguments '(__dragoman_listed)'
complete --command dragoman --condition '__dragoman_uses keys' --arguments new
complete --command dragoman --condition '__dragoman_uses queue' --arguments 'check salvage'
