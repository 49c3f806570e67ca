// Places in sources that a line of a log names, such as `src/main.ts:12:5` or `main.ts(12,5)`.

/** Undefined where there is no such file. */
export type HrefOfPlace = (file: string, line: number) => string | undefined;

export interface LinePiece {
  text: string;
  href?: string | undefined;
}

const PLACE = /([\w@.+-]*(?:\/[\w@.+-]+)*\.\w{1,8})(?::(\d{1,7})(?::\d{1,7})?|\((\d{1,7})(?:,\d{1,7})?\))/g;

export function splitPlaces(text: string, hrefOf: HrefOfPlace | undefined): LinePiece[] {
  if (hrefOf === undefined) return [{ text }];
  const pieces: LinePiece[] = [];
  let done = 0;
  for (const found of text.matchAll(PLACE)) {
    const href = hrefOf(found[1]!, Number(found[2] ?? found[3]));
    if (href === undefined) continue;
    if (found.index > done) pieces.push({ text: text.slice(done, found.index) });
    pieces.push({ text: found[0], href });
    done = found.index + found[0].length;
  }
  if (done < text.length || pieces.length === 0) pieces.push({ text: text.slice(done) });
  return pieces;
}

/** Their files may be called as those of the Actor are. */
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages)\//;

/** The longest of the names that the path ends with: programs print where they have unpacked the files. */
export function fileOfPath(path: string, names: readonly string[]): string | undefined {
  const plain = path.replace(/^\.\//, '');
  if (PACKAGES.test(plain)) return undefined;
  return names
    .filter((name) => plain === name || plain.endsWith(`/${name}`))
    .toSorted((one, other) => other.length - one.length)[0];
}
