import { INCLUDED, LascaError, Tablebase, legalMoves, load } from "lasca-tb";

export async function use(): Promise<number> {
  await load();
  const tables = new Tablebase();
  await tables.fetchTables(INCLUDED);
  await tables.fetchTables("/tables/");
  const { wdl, dtw } = await tables.probe("b2B d2W a7W w");
  const text: string = legalMoves("start").moves.map(({ move }) => move).join(" ");
  const { studies } = await tables.studies("start 1. c3-d4");
  const first: string | undefined = studies[0]?.positions[1]?.move;
  try {
    await tables.solve("start", { seconds: 1 });
  } catch (error) {
    if (!(error instanceof LascaError)) throw error;
  }
  return (wdl === "win" ? dtw ?? 0 : 0) + text.length + (first?.length ?? 0);
}
