# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
# shellcheck shell=bash
#
# bash completion for ork. Commands and options are those that the ork at hand lists in its help.

# _ork_commands ORK
_ork_commands()
{
	"$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _ork_options ORK COMMAND: one per line, and after a blank the word that stands for its value. A line of the help can have
# several, as in "-m M -k K -n N"; before what it says about them are two blanks.
_ork_options()
{
	"$1" help "$2" 2>/dev/null | awk '
		sub(/^  +/, "") {
			while (match($0, /^--?[a-z][a-z-]*( [A-Z][^ ,]*)?/)) {
				print substr($0, 1, RLENGTH)
				$0 = substr($0, RLENGTH + 1)
				if (!sub(/^,? /, ""))
					break
			}
		}'
	echo --help
}

# _ork_values COMMAND OPTION WORD: what the value of the option can be
_ork_values()
{
	case "$1 $2" in
	'pack --type') echo 'i8 i4 f16' ;;
	*' --type') echo 'i8 i8q i4 f16 f16f16 bf16' ;;
	*' --cores') echo '1 2 3 auto' ;;
	'bench --model') echo 'qwen3-1.7b experts published' ;;
	*' --device') echo model && compgen -G '/dev/dri/renderD*' ;;
	esac
}

_ork()
{
	local ork=${1/#\~/$HOME} current=$2 previous=$3 command=${COMP_WORDS[1]} options value

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ork_commands "$ork") --help --version" -- "$current")
		return
	fi
	if [ "$command" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ork_commands "$ork")" -- "$current")
		return
	fi
	options=$(_ork_options "$ork" "$command")
	value=$(grep -m 1 -e "^$previous " <<<"$options")
	value=${value#* }
	case $value in
	'') ;;
	*.* | FILE) return ;; # readline looks for files
	*)
		compopt +o default 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W "$(_ork_values "$command" "$previous")" -- "$current")
		return
		;;
	esac
	[[ $current != -* ]] || mapfile -t COMPREPLY < <(compgen -W "$(cut -d ' ' -f 1 <<<"$options" | sort -u)" -- "$current")
}

complete -o default -F _ork ork
