// The npm package in TypeScript and in a bundler: `node --test bindings/wasm/tests/*.test.js`, with LASCA_NPM naming the
// folder that `bindings/wasm/build` has made, and LASCA_NODE one in which `npm install typescript vite` was done.
// The page needs chromium-headless-shell or chromium.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL(".", import.meta.url));
const README = readFileSync(join(HERE, "../README.md"), "utf8");
const { LASCA_NPM, LASCA_NODE } = process.env;
const tool = (name) => join(LASCA_NODE, "node_modules/.bin", name);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
let folder;

// A project that has the package, beside the tools.
before(() => {
  folder = mkdtempSync(join(LASCA_NODE, "project-"));
  cpSync(LASCA_NPM, join(folder, "node_modules/lasca-tb"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});
after(() => rmSync(folder, { recursive: true }));

// What TypeScript says of files, which is nothing if they are right.
async function saysOf(files, lib, types = []) {
  const compilerOptions = { noEmit: true, strict: true, target: "es2022", module: "nodenext", types, lib };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(tool("tsc"), ["--project", "."], { cwd: folder }).catch((error) => error);
  return stdout;
}

for (const [name, lib] of [
  ["everywhere", ["es2022"]],
  ["browser", ["es2022", "dom"]],
]) {
  test(`the types are right with the libraries ${lib.join(" and ")}`, async () => {
    cpSync(join(HERE, `types/${name}.ts`), join(folder, `${name}.ts`));
    assert.equal(await saysOf([`${name}.ts`], lib), "");
  });
}

test("the lines of the README are right as TypeScript too", async () => {
  const examples = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, lines]) => lines);
  assert.ok(examples.length > 3);
  const [inWorkers, inPages] = [[], []];
  examples.forEach((lines, number) => {
    writeFileSync(join(folder, `readme-${number}.ts`), lines);
    (lines.startsWith("// worker.js") ? inWorkers : inPages).push(`readme-${number}.ts`);
  });
  assert.equal(await saysOf(inPages, ["es2022", "dom"], ["vite/client"]), "");
  assert.equal(await saysOf(inWorkers, ["es2022", "webworker"]), "");
});

// The types of answers, with their names in docs/output.schema.json, and the keys of theirs that only programs get.
const ANSWERS = [
  ["Answer", "Answer", ["id"]],
  ["ExplainedMove", "MoveAnswer", []],
  ["Progress", "Progress", ["id"]],
  ["Endings", "Endings", []],
  ["Ending", "Ending", []],
  ["PlayedStudy", "PlayedStudy", []],
  ["StudyPosition", "StudyPosition", []],
];

// A type of TypeScript for what a schema allows.
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.replace("#/$defs/", "Schema_");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const) return JSON.stringify(schema.const);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map(typeOf).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `(${typeOf(schema.items ?? {})})[]`;
  if (schema.type === "integer") return "number";
  if (!schema.properties) return schema.type ?? "unknown";
  const optional = (key) => (schema.required?.includes(key) ? "" : "?");
  return `{ ${Object.entries(schema.properties).map(([key, of]) => `${key}${optional(key)}: ${typeOf(of)};`).join(" ")} }`;
}

test("answers have the keys and the values that the schema of JSON names", async () => {
  const schemas = JSON.parse(readFileSync(join(HERE, "../../../docs/output.schema.json"), "utf8")).$defs;
  const lines = Object.entries(schemas).map(([name, schema]) => `type Schema_${name} = ${typeOf(schema)};`);
  const checks = ANSWERS.map(([type, name, others]) => {
    const ofSchema = `Omit<Schema_${name}, ${others.map((key) => `"${key}"`).join(" | ") || "never"}>`;
    return `const ${type}: [Same<keyof ${ofSchema}, keyof api.${type}>, Fits<${ofSchema}, api.${type}>] = [true, true];`;
  });
  const source = `import type * as api from "lasca-tb";
type Fits<A, B> = [A] extends [B] ? true : false;
type Same<A, B> = [Fits<A, B>, Fits<B, A>] extends [true, true] ? true : false;
${lines.join("\n")}
${checks.join("\n")}
export { ${ANSWERS.map(([type]) => type)} };
`;
  writeFileSync(join(folder, "schema.ts"), source);
  assert.equal(await saysOf(["schema.ts"], ["es2022"]), "");
});

test("bundlers are told to leave the modules of node alone", () => {
  for (const name of ["index.js", "maker.js"]) {
    const imports = readFileSync(join(LASCA_NPM, name), "utf8").match(/\bimport\([^)]*\)/g) ?? [];
    assert.ok(imports.length > 0, name);
    for (const found of imports) assert.match(found, /^import\(\/\* webpackIgnore: true \*\/ \/\* @vite-ignore \*\/ \w+\)$/, name);
  }
});

test("a page that vite builds from the lines of the README answers", async () => {
  const [, lines] = /## In a bundler\n.*?```js\n(.*?)```/s.exec(README);
  writeFileSync(join(folder, "main.js"), `${lines}document.title = \`\${wdl} in \${dtw}\`;\n`);
  writeFileSync(join(folder, "index.html"), '<title>no answer</title><script type="module" src="/main.js"></script>');
  mkdirSync(join(folder, "public"));
  cpSync(join(LASCA_NPM, "tables"), join(folder, "public/tables"), { recursive: true });
  const built = await run(tool("vite"), ["build", "--logLevel", "warn", "--target", "es2022"], { cwd: folder });
  assert.equal(built.stderr, "");
  const server = createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : request.url;
    try {
      response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
      response.end(readFileSync(join(folder, "dist", path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = ["chromium-headless-shell", "chromium"].find((name) => spawnSync(name, ["--version"]).status === 0);
  assert.ok(browser, "there is no chromium");
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", "--dump-dom"];
  const page = await run(browser, [...options, `http://127.0.0.1:${server.address().port}/`]);
  server.close();
  assert.match(page.stdout, /<title>win in 5<\/title>/);
});
