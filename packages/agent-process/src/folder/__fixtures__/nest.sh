#!/bin/sh
# Makes folders in one another as a hostile agent does, by steps from one to the next, and a file in the innermost: <where> <depth> <name> <bytes>
# As a variable of the programs that it starts, the path would be too long for them.
unset PWD OLDPWD
cd "$1" || exit 1
depth=0
while [ "$depth" -lt "$2" ]; do
  mkdir "$3" && cd -P "./$3" || exit 1
  depth=$((depth + 1))
done
head -c "$4" /dev/zero > large
