# The image of the gateway: docker build -t dragoman:local .
#
# It contains the program, its crash reporter and the Debian packages that the program is linked with, but no shell,
# package manager or other program. --build-arg can select other base images, or name them by digest.
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
# Versions are not pinned: with the next security update, the mirrors drop the old version.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    libcurl4-openssl-dev libexpat1-dev libjemalloc-dev liblz4-dev libnghttp2-dev libpq-dev libsqlite3-dev libssl-dev libyaml-dev pkg-config zlib1g-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Plugins Plugins
COPY Sources Sources
# The example app, which `dragoman dev` carries with it.
COPY config config
# The manifest names the tests, so they must exist; none is built here.
COPY Tests Tests
COPY scripts/build-release scripts/
# Swift's module hashes differ in each build, and so does the build id; nothing reads either at run time.
RUN scripts/build-release \
  && install -D -m 0755 .build/release/dragoman /out/usr/bin/dragoman \
  && install -D -m 0755 "$(dirname "$(command -v swift)")/../libexec/swift/linux/swift-backtrace-static" \
    /out/usr/libexec/dragoman/swift-backtrace-static \
  && strip --remove-section=.swift_modhash --remove-section=.note.gnu.build-id \
    /out/usr/bin/dragoman /out/usr/libexec/dragoman/swift-backtrace-static
COPY LICENSE /out/usr/share/doc/dragoman/copyright

FROM ${DEBIAN_IMAGE} AS runtime
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates libcurl4 libexpat1 libjemalloc2 liblz4-1 libnghttp2-14 libpq5 libsqlite3-0 libssl3 libstdc++6 libyaml-0-2 zlib1g
COPY deploy/image/copy-runtime /usr/local/bin/
RUN copy-runtime /out libc6 libcurl4 libexpat1 libgcc-s1 libjemalloc2 liblz4-1 libnghttp2-14 libpq5 libsqlite3-0 libssl3 libstdc++6 libyaml-0-2 zlib1g

FROM scratch
COPY --from=runtime /out /
COPY --from=build /out /

ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Dragoman" \
  org.opencontainers.image.description="A localization-aware push gateway in front of Firebase Cloud Messaging" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

# Crash reports show places, but no memory contents.
ENV PATH=/usr/bin \
  SWIFT_BACKTRACE=enable=yes,interactive=no,color=no,sanitize=yes,output-to=stderr,swift-backtrace=/usr/libexec/dragoman/swift-backtrace-static
# A number, so that Kubernetes can verify that it is not root.
USER 10001:10001
WORKDIR /var/lib/dragoman
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["dragoman", "healthcheck"]
ENTRYPOINT ["dragoman"]
CMD ["serve", "--config", "/etc/dragoman/gateway.yaml"]
