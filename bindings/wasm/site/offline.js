// Keeps the files of the site, so that it can be used offline. `tools/site` writes the first lines.

/* global FILES, VERSION, TABLES, SUMS */
// Another site on the same host has caches of other names.
const OWN = `lasca ${registration.scope} `;
const PAGE = `${OWN}page ${VERSION}`;
const KEPT_TABLES = `${OWN}tables ${TABLES}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(PAGE).then((cache) => cache.addAll(FILES.map((url) => new Request(url, { cache: "reload" })))));
  skipWaiting();
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(OWN) && name !== PAGE && name !== KEPT_TABLES;
  const forget = async () => Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(forget().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  if (event.request.url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});

async function answer(request) {
  for (const cacheName of [PAGE, KEPT_TABLES]) {
    const kept = await caches.match(request.url, { cacheName, ignoreSearch: true });
    if (kept) return kept;
  }
  const response = await fetch(request);
  const expected = SUMS[request.url.slice(registration.scope.length)];
  if (response.ok && expected) {
    // If it is damaged, or there is no room for it, the table is fetched again next time.
    keep(request, response.clone(), expected).catch(() => {});
  }
  return response;
}

async function keep(request, response, expected) {
  const sum = await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer());
  const digits = [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (digits === expected) await (await caches.open(KEPT_TABLES)).put(request, response);
}
