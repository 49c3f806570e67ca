// Which paths fit what was typed in the finder, the best first.

/** More are not drawn. */
const MOST = 50;

/** The letters in their order, with anything between them. Names that contain them together come before others, short before long. */
export function matchPaths(paths: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  if (wanted === '') return paths.slice(0, MOST);
  const found: { path: string; rank: number }[] = [];
  for (const path of paths) {
    const rank = rankOf(path.toLowerCase(), wanted);
    if (rank !== undefined) found.push({ path, rank });
  }
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, MOST)
    .map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 3;
}
