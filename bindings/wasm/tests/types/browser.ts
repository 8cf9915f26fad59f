import { INCLUDED, Tablebase, load } from "lasca-tb";

export async function use(stop: AbortSignal): Promise<string> {
  await load(await fetch("lasca_tb_bg.wasm"));
  await load(new URL("x", INCLUDED));
  await load(new Uint8Array(3));
  await load(new WebAssembly.Module(new Uint8Array(3)));
  await new Tablebase().solve("start", { signal: stop });
  return INCLUDED.pathname;
}
