// Keeps the files of the site, so that it can be used offline. `tools/site` writes the first lines.

/* global FILES, VERSION, TABLES */
const PAGE = `lasca-${VERSION}`;
const KEPT_TABLES = `lasca-tables-${TABLES}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(PAGE).then((cache) => cache.addAll(FILES.map((url) => new Request(url, { cache: "reload" })))));
  skipWaiting();
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("lasca-") && name !== PAGE && name !== KEPT_TABLES;
  const forget = async () => Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(forget().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  if (new URL(event.request.url).origin === location.origin) event.respondWith(answer(event.request));
});

async function answer(request) {
  const kept = await caches.match(request.url, { ignoreSearch: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && /\.ltb[wd]$/.test(request.url)) {
    const copy = response.clone();
    // If there is no room for the table, it is fetched again next time.
    const keep = async () => (await caches.open(KEPT_TABLES)).put(request, copy);
    await keep().catch(() => {});
  }
  return response;
}
