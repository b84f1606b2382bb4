#!/bin/sh
# Gives each service of the hosted stack, and operators, a key of MinIO's with the policy of its own, and ends a key of it from before. May be run again.
#
#   MINIO_ENDPOINT                         http://host:port
#   MINIO_ROOT_USER, MINIO_ROOT_PASSWORD   who may make keys
#   MINIO_<NAME>_ACCESS_KEY, …_SECRET_KEY  for INGEST, PROJECTOR, GATEWAY and OPERATOR
#   MC, MINIO_POLICIES                     MinIO's client and the folder of the policies, where they are not in their places
#
# Of the secrets none becomes an argument.
set -eu

mc=${MC:-mc}
policies=${MINIO_POLICIES:-/etc/minio/policies}
export MC_HOST_store="${MINIO_ENDPOINT%%://*}://$MINIO_ROOT_USER:$MINIO_ROOT_PASSWORD@${MINIO_ENDPOINT#*://}"
export MC_CONFIG_DIR="${MC_CONFIG_DIR:-/tmp/mc}"

entities=$("$mc" --json admin policy entities store | tr -d ' \n')

make_key() {
  name=$1
  service=$(echo "$name" | tr '[:upper:]' '[:lower:]')
  policy=attache-$service
  eval "access_key=\$MINIO_${name}_ACCESS_KEY secret_key=\$MINIO_${name}_SECRET_KEY"
  before=$(echo "$entities" | sed -n "s/.*\"policy\":\"$policy\",\"users\":\[\([^]]*\)\].*/\1/p" | tr -d '"' | tr ',' '\n')
  "$mc" --quiet admin policy create store "$policy" "$policies/$service.json"
  printf '%s\n%s\n' "$access_key" "$secret_key" | "$mc" --quiet admin user add store
  if ! echo "$before" | grep -qxF "$access_key"; then
    "$mc" --quiet admin policy attach store "$policy" --user "$access_key"
  fi
  for user in $before; do
    if [ "$user" != "$access_key" ]; then "$mc" --quiet admin user remove store "$user"; fi
  done
}

# The server takes its time for each: side by side.
making=
for name in INGEST PROJECTOR GATEWAY OPERATOR; do
  make_key "$name" &
  making="$making $!"
done
for one in $making; do wait "$one"; done
