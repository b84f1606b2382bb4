# The health check of the MinIO image, which holds no HTTP client. The port may be given for a trial.
exec 3<>"/dev/tcp/127.0.0.1/${1:-9000}" || exit 1
printf 'GET /minio/health/cluster HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
IFS= read -r -t 4 status <&3
case $status in HTTP/1.?\ 200*) exit 0 ;; *) exit 1 ;; esac
