#!/bin/sh
# Read in after common.sh by the scripts that start and stop the server of this folder.

# load_env exports what .env says, byte for byte: no value is taken for shell. One pair of quotes
# around a value is left out.
load_env() {
	[ -e .env ] || return 0
	[ -r .env ] || fail "The user $(id -un) may not read $(pwd -P)/.env. Run make as its owner: $(stat -c %U .env)."
	number=0
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		line=${line%"$(printf '\r')"}
		line=${line#export }
		case $line in '' | '#'*) continue ;; esac
		name=${line%%=*}
		case $name in
		"$line" | '' | [0-9]* | *[!A-Za-z0-9_]*) fail "Line $number of .env is not NAME=value. Correct it and run make again." ;;
		esac
		value=${line#*=}
		case $value in \"*\" | \'*\') value=${value#?} value=${value%?} ;; esac
		export "$name=$value"
	done <.env
}

# setting NAME DEFAULT prints a variable as the server will see it. Keys stay out of the
# environment of everything else that runs here.
setting() { (
	load_env
	eval "value=\${$1:-}"
	# shellcheck disable=SC2154 # the line above sets it
	printf '%s' "${value:-$2}"
); }

# The process id of our server and what it was started with.
pid_file=.build/local.pid

# locate sets data_dir and log_file.
locate() {
	data_dir=$(setting DATA_DIR ./data)
	# shellcheck disable=SC2034 # for the scripts that read this in
	log_file=$data_dir/local.log
}

# alive reports whether our server runs, and sets pid. The number in the file may belong
# to another program by now.
alive() {
	pid=$(cut -d' ' -f1 "$pid_file" 2>/dev/null) || return 1
	[ -n "$pid" ] && [ "$(readlink "/proc/$pid/exe" | sed 's/ (deleted)$//')" = "$(pwd -P)/.build/berth-local" ]
}
