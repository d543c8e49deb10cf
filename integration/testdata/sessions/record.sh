#!/bin/bash
# Records a session of real commands for TestGoldenSessions:
#
#   record.sh SESSION WORKDIR < COMMANDS
#
# Each line of COMMANDS is run by bash in WORKDIR, and becomes SESSION/NN with the
# request and both streams as the program wrote them. Write SESSION/session.textproto by
# hand: policy and contexts.
set -u
session=$(realpath "$1") workdir=$2
number=0
while IFS= read -r line; do
	number=$((number + 1))
	call=$(printf '%s/%02d' "$session" "$number")
	mkdir -p "$call"
	(cd "$workdir" && bash -c "$line") >"$call/stdout" 2>"$call/stderr" </dev/null
	code=$?
	quoted=$(printf '%s' "$line" | sed 's/\\/\\\\/g; s/"/\\"/g')
	cat >"$call/request.textproto" <<END
output {
  tool_name: "ExecCommand"
  status: TOOL_STATUS_SUCCESS
  command {
    disposition: COMMAND_DISPOSITION_COMPLETED
    command_line: "$quoted"
    exit_status: $code
    stdout {}
    stderr {}
  }
}
END
done
