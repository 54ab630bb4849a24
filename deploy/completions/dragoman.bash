# bash completion for dragoman. It completes the commands and options that --help lists.

# Prints each command or option that the --help of a command line lists: the first word of each indented line.
_dragoman_listed() {
  "$1" "${@:2}" --help 2>/dev/null | sed -n 's/^  \([-a-z]*\)  .*/\1/p'
}

# Prints the templates of the catalog that the command line names, or of the one in its usual place.
_dragoman_templates() {
  local index catalog=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${COMP_WORDS[index]} in
      --catalog)
        catalog=("${COMP_WORDS[index + 1]}")
        [ "${catalog[0]}" = = ] && catalog=("${COMP_WORDS[index + 2]}")
        ;;
    esac
  done
  "$1" preview --list "${catalog[@]/#/--catalog=}" 2>/dev/null
}

_dragoman() {
  local current=$2 previous=$3 program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_listed "$program") help --help --version" -- "$current")
    return
  fi
  # bash splits --format=json at the equals sign.
  [ "$current" = = ] && current=
  [ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  case $previous in
    --config | --catalog | --baseline | --ca-file | --certificate | --certificate-key)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --android | --ios | --data)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --format)
      local formats='text json'
      [ "$command" = check ] && formats='text json sarif github'
      mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
      return
      ;;
    --template)
      mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_templates "$program")" -- "$current")
      return
      ;;
    --platform)
      local platforms='android ios'
      [ "$command" = send ] && platforms='android ios web'
      mapfile -t COMPREPLY < <(compgen -W "$platforms" -- "$current")
      return
      ;;
    --render)
      mapfile -t COMPREPLY < <(compgen -W 'device gateway auto' -- "$current")
      return
      ;;
    --scope)
      mapfile -t COMPREPLY < <(compgen -W 'send read preview raw admin' -- "$current")
      return
      ;;
    --listen | --emulator-listen)
      mapfile -t COMPREPLY < <(compgen -W '127.0.0.1:' -- "$current")
      compopt -o nospace
      return
      ;;
    --args | --token | --fid | --topic | --condition | --app | --url | --key | --locale | --prefix) return ;;
  esac
  if [ "$command" = keys ] && [ "$COMP_CWORD" -eq 2 ] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'new' -- "$current")
    return
  fi
  if [ "$command" = queue ] && [ "$COMP_CWORD" -eq 2 ] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'check salvage' -- "$current")
    return
  fi
  if [ "$command" = help ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_listed "$program")" -- "$current")
    return
  fi
  if [[ $command == @(preview|send) ]] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_templates "$program")" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_listed "$program" "$command") --help" -- "$current")
}

complete -F _dragoman dragoman
