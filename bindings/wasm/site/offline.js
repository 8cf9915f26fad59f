// Keeps the files of the site, so that it can be used offline. `tools/site` writes the first lines.

/* global FILES, VERSION, TABLES, SUMS */
// Another site on the same host has caches of other names.
const OWN = `lasca ${registration.scope} `;
const PAGE = `${OWN}page ${VERSION}`;
const KEPT_TABLES = `${OWN}tables ${TABLES}`;
// worker.js keeps the tables there that it has made.
const MADE = `${OWN}made`;
// What makes tables is kept when it is first needed.
const MAKER = "lasca-tb/lasca_tb_maker_bg.wasm";

addEventListener("install", (event) => event.waitUntil(install()));

// If a file is not that of this version, nothing is kept, and the version before stays.
async function install() {
  const fetched = async (path) => [path, await checked(path, await fetch(path, { cache: "reload" }))];
  const files = await Promise.all(FILES.map(fetched));
  const cache = await caches.open(PAGE);
  await Promise.all(files.map(([path, response]) => cache.put(path, response)));
}

// This version waits until no page of the one before is open. A page that is the only one asks for it.
addEventListener("message", (event) => event.waitUntil(begin()));

async function begin() {
  const pages = await clients.matchAll({ includeUncontrolled: true });
  if (pages.filter(({ url }) => url.startsWith(registration.scope)).length === 1) await skipWaiting();
}

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(OWN) && ![PAGE, KEPT_TABLES, MADE].includes(name);
  const forget = async () => Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(forget().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  if (event.request.url.startsWith(registration.scope)) event.respondWith(answer(event.request));
});

async function answer(request) {
  // The browser may allow no storage any more.
  const kept = await keptAnswer(request).catch(() => null);
  if (kept) return kept;
  const response = await fetch(request);
  const path = request.url.slice(registration.scope.length);
  const cacheName = path === MAKER ? PAGE : path.startsWith("tables/") ? KEPT_TABLES : null;
  if (response.ok && cacheName && SUMS[path]) {
    // If it is damaged, or there is no room for it, the file is fetched again next time.
    keep(cacheName, path, response.clone()).catch(() => {});
  }
  return response;
}

async function keptAnswer(request) {
  for (const cacheName of [PAGE, KEPT_TABLES]) {
    const kept = await caches.match(request.url, { cacheName, ignoreSearch: true });
    if (kept) return kept;
  }
  return null;
}

async function keep(cacheName, path, response) {
  const file = await checked(path, response);
  await (await caches.open(cacheName)).put(path, file);
}

// A file as it can be kept, if it is the one that this version has.
async function checked(path, response) {
  const bytes = await response.arrayBuffer();
  const sum = await crypto.subtle.digest("SHA-256", bytes);
  const digits = [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (digits !== SUMS[path]) throw new Error(`${response.url} is not the file of this version`);
  // The host may have redirected. Browsers show no page from such an answer if it is kept as it is.
  return new Response(bytes, { headers: response.headers });
}
