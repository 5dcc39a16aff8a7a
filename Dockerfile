# The official image of PostgreSQL with both extensions installed, of Debian or of Alpine:
#     docker build --build-arg POSTGRES=postgres:18 -t postgres-objectid .
ARG POSTGRES=postgres:18
FROM ${POSTGRES}
RUN --mount=type=bind,target=/objectid_ext,rw set -eu; \
    if command -v apk >/dev/null; then \
        apk add --no-cache --virtual .objectid-build gcc make musl-dev; \
        make -C /objectid_ext clean install; \
        apk del --no-network .objectid-build; \
    else \
        packages="gcc libc6-dev make postgresql-server-dev-$PG_MAJOR"; \
        apt-get update; \
        apt-get install -y --no-install-recommends $packages; \
        make -C /objectid_ext PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config clean install; \
        apt-get purge -y --auto-remove $packages; \
        rm -rf /var/lib/apt/lists/*; \
    fi
