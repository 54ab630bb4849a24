# bash completion for dragoman. It completes the commands and options that --help lists.

# Prints each command or option that the --help of a command line lists: the first word of each indented line.
_dragoman_listed() {
  "$1" "${@:2}" --help 2>/dev/null | sed -n 's/^  \([-a-z]*\)  .*/\1/p'
}

_dragoman() {
  local current=$2 previous=$3 program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_listed "$program") --help --version" -- "$current")
    return
  fi
  # bash splits --format=json at the equals sign.
  [ "$current" = = ] && current=
  [ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  case $previous in
    --config | --catalog | --baseline)
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
    --platform)
      mapfile -t COMPREPLY < <(compgen -W 'android ios' -- "$current")
      return
      ;;
    --scope)
      mapfile -t COMPREPLY < <(compgen -W 'send read preview admin' -- "$current")
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
  mapfile -t COMPREPLY < <(compgen -W "$(_dragoman_listed "$program" "$command") --help" -- "$current")
}

complete -F _dragoman dragoman
