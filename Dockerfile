# An image of the server with the tables of all materials with up to eight counters.
#
#   docker build --tag lasca-tb .
#   docker run --read-only --publish 127.0.0.1:1911:1911 lasca-tb
#
# To serve other tables, mount their folder: --volume /my/tables:/tables:ro
# If clients reach the server under a name, such as tables.example, say so:
#
#   docker run --read-only --publish 80:1911 lasca-tb serve --addr 0.0.0.0:1911 --host tables.example

FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package lasca-tb && \
    target/release/lasca-tb generate --up-to 8 --tables /tables

FROM debian:bookworm-slim
COPY --from=build /source/target/release/lasca-tb /usr/local/bin/
COPY --from=build /tables /tables
ENV LASCA_TABLES=/tables
# The user nobody.
USER 65534:65534
EXPOSE 1911
HEALTHCHECK --start-period=10s --timeout=5s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/1911 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -qx ok <&3"]
ENTRYPOINT ["lasca-tb"]
CMD ["serve", "--addr", "0.0.0.0:1911"]
