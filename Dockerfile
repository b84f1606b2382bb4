# One image per service:  docker build --target ingest|projector|runner-gateway .
# Checked for validity by tests/architecture/images/image.test.ts; not built or run where it was written.

FROM node:24.21.0-bookworm-slim AS base

FROM base AS build
WORKDIR /src
# What is downloaded depends on the lockfile alone.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs ./
RUN npx -y pnpm@12.21.0 fetch
COPY . .
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --offline \
 && node scripts/bundle/bundle.ts --out /out/attache \
 && node scripts/bundle/bundle.ts --out /out/with-sharp --packages sharp

FROM base AS runtime
LABEL org.opencontainers.image.title="Attaché" \
      org.opencontainers.image.description="Attachment infrastructure for AI-agent platforms" \
      org.opencontainers.image.licenses="Apache-2.0"
# No package manager where the service runs.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && groupadd --gid 10001 attache \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/attache --shell /usr/sbin/nologin attache \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/attache \
 && ln -s /opt/attache/attache.js /usr/local/bin/attache
COPY infra/images/check-readiness.mjs /opt/attache/check-readiness.mjs
COPY --from=build /out/attache /opt/attache
ENV NODE_ENV=production \
    ATTACHE_HOST=0.0.0.0 \
    ATTACHE_PORT=4100 \
    ATTACHE_OPS_PORT=4101 \
    ATTACHE_DATA_DIR=/var/lib/attache
USER 10001:10001
WORKDIR /var/lib/attache
# Beside this folder only /tmp is written: the root file system may be read-only.
VOLUME /var/lib/attache
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["node", "/opt/attache/check-readiness.mjs"]
# Lets the young generation grow to 4 MiB. Without the flag a service needs a fifth more processor time.
ENTRYPOINT ["node", "--max-semi-space-size=4", "/opt/attache/attache.js"]

# Never parses media: no native code beside Node's own.
FROM runtime AS ingest
EXPOSE 4100 4101
CMD ["start", "ingest"]

FROM runtime AS projector
COPY --from=build /out/with-sharp/node_modules /opt/attache/node_modules
EXPOSE 4101
CMD ["start", "projector"]

# The example agent that it brings reads pictures too.
FROM runtime AS runner-gateway
# For agents whose profile asks for a sandbox. What else that needs is in docker-compose.yml.
USER root
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
USER 10001:10001
COPY --from=build /out/with-sharp/node_modules /opt/attache/node_modules
EXPOSE 4101
CMD ["start", "runner-gateway"]
