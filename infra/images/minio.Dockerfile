# MinIO from the pinned Go module that the tests run against: its makers publish no images any more.
# Checked for validity by tests/architecture/images/image.test.ts; not built or run where it was written.

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY infra/native/minio/go.mod infra/native/minio/go.sum ./
RUN CGO_ENABLED=0 go build -mod=readonly -trimpath -o /out/ github.com/minio/minio github.com/minio/mc

FROM debian:12.12-slim AS minio
RUN groupadd --gid 10002 minio \
 && useradd --uid 10002 --gid 10002 --no-create-home --home-dir /data --shell /usr/sbin/nologin minio \
 && install -d -o 10002 -g 10002 -m 0700 /data
COPY --from=build /out/minio /out/mc /usr/local/bin/
COPY infra/images/check-minio.sh /usr/local/bin/check-minio
COPY infra/minio/make-keys.sh /usr/local/bin/make-minio-keys
COPY infra/minio/policies /etc/minio/policies
USER 10002:10002
WORKDIR /data
VOLUME /data
EXPOSE 9000
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=6 CMD ["bash", "/usr/local/bin/check-minio"]
ENTRYPOINT ["minio"]
CMD ["server", "/data", "--address", ":9000", "--certs-dir", "/tmp/certs", "--quiet"]
