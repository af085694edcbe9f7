# What test-package and test-source share (sourced, not run): a copy of a bare system in $root, entered as a person who has just
# logged in. $trials is the folder of all of them; ${display} names the display that programs see, where there is one.
trials=$(realpath -m -- "${REELGRID_TRIALS:-build/package/trials}")
mkdir -p "$trials"

# within COMMAND…: runs it in the copy.
within() {
    chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/guest \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive TMPDIR=/tmp ${display:+DISPLAY=$display} "$@"
}

# clocked WORD LOG COMMAND…: says how long it took, and how much of that was the processor's: nothing else may be as quiet.
clocked() {
    local word=$1 log=$2
    shift 2
    local TIMEFORMAT="  $word: %R s, of the processor %U s and %S s for the system"
    time "$@" >"$log" 2>&1 || { tail -n 5 "$log" && return 1; }
} 2>&1

# enter RELEASE: makes the copy anew.
enter() {
    local base
    base=$(packaging/bare-system "$1" "$trials")
    root=$trials/$1
    leave # what an interrupted trial left mounted: nothing of this machine may lie below what is removed
    rm -rf --one-file-system "$root"
    cp -a "$base" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind --make-rslave /dev "$root/dev"
    mkdir -p "$root/home/guest"
    within apt-get update -qq
    echo "$1: $(within sh -c '. /etc/os-release && echo "$PRETTY_NAME"'), load $(cut -d ' ' -f 1 /proc/loadavg)"
}

# leave: ends the programs of the copy's display and unmounts all that lies in it.
leave() {
    [ -z "${window:-}" ] || kill "$window" 2>/dev/null || true
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    window= server= display=
    for mounted in tmp/.X11-unix dev/pts dev proc; do
        if mountpoint -q "${root:-/nowhere}/$mounted"; then umount -l "$root/$mounted"; fi
    done
}

# tryAll RELEASE…: try RELEASE of each; ends with 1 where one failed.
tryAll() {
    local failed=() release code
    for release in "$@"; do
        set +e # or nothing in it would end it
        (set -e && trap leave EXIT && try "$release")
        code=$?
        set -e
        [ "$code" -eq 0 ] || failed+=("$release")
    done
    [ ${#failed[@]} -eq 0 ] || { echo "$(basename "$0"): failed on ${failed[*]}" >&2 && exit 1; }
}
