# An image of the server with the tables of all materials with up to eight counters. It holds the archive of the program
# for this processor, which tools/release makes. On macOS or Windows, or for another processor, name the system, such as
# --target aarch64-unknown-linux-gnu.
#
#   tools/release
#   docker build --tag lasca-tb .
#   docker run --read-only --publish 127.0.0.1:1911:1911 lasca-tb
#
# To serve other tables, mount their folder: --volume /my/tables:/tables:ro
# If clients reach the server under a name, such as tables.example, say so:
#
#   docker run --read-only --publish 80:1911 lasca-tb serve --addr 0.0.0.0:1911 --host tables.example

FROM debian:bookworm-slim AS unpacked
# An archive that is added is unpacked.
ADD target/archives/lasca-tb-*-linux-gnu.tar.gz /
RUN mv "/lasca-tb-"*"-$(uname -m)-unknown-linux-gnu" /opt/lasca-tb && \
    /opt/lasca-tb/lasca-tb generate --up-to 8 --tables /tables

FROM debian:bookworm-slim
# The program with its documents and all licences.
COPY --from=unpacked /opt/lasca-tb /opt/lasca-tb
COPY --from=unpacked /tables /tables
ENV LASCA_TABLES=/tables PATH=/opt/lasca-tb:$PATH
# The user nobody.
USER 65534:65534
EXPOSE 1911
HEALTHCHECK --start-period=10s --timeout=5s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/1911 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -qx ok <&3"]
ENTRYPOINT ["lasca-tb"]
CMD ["serve", "--addr", "0.0.0.0:1911"]
