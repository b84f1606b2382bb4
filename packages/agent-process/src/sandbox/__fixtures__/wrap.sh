#!/bin/bash
# An operator's wrapper: --write=PLACE and --read=PLACE say what is shown, and the network is the machine's own.
shown=()
while [ "$1" != -- ]; do
  case "$1" in
  --write=*) shown+=(--bind "${1#*=}" "${1#*=}") ;;
  --read=*) shown+=(--ro-bind-try "${1#*=}" "${1#*=}") ;;
  esac
  shift
done
shift
exec bwrap --unshare-all --share-net --die-with-parent \
  --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
  --proc /proc --dev /dev --tmpfs /tmp "${shown[@]}" --chdir "$PWD" -- "$@"
