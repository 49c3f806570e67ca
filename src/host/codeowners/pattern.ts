// Patterns of CODEOWNERS: which files one means, in time that grows with the lengths of pattern and path, whatever they contain.

/** A text between two asterisks, or parts of one that are separated by single free characters. */
interface Piece {
  text: string;
  /** Where any character may stand: those of the text there are not compared. */
  free: ReadonlySet<number>;
}

/** `**`, or what one name has to look like: a piece, or several with anything between them. */
type Segment = 'folders' | readonly Piece[];

export interface OwnerPattern {
  segments: readonly Segment[];
  /** Whether what is below a folder of this name is meant too. */
  hasBelow: boolean;
  /** The names, where all of them are literal, for a search without comparing. */
  literal: { path: string; isAnchored: boolean; isFolder: boolean } | undefined;
  /** For `*.ext`. */
  extension: string | undefined;
}

/** Why a pattern is none, with a better one where that can be guessed. */
export interface BadPattern {
  suggestion: string | null;
}

/** Of a pattern. No path that people write is longer, and each name of it is compared with each name of a file. */
const MAX_LENGTH = 1024;
const NO_PIECE_FREE: ReadonlySet<number> = new Set();

/** Of a text without unescaped spaces. */
export function parsePattern(text: string): OwnerPattern | BadPattern {
  if (text.length > MAX_LENGTH || text.startsWith('!') || text.startsWith('\\#')) return { suggestion: null };
  if (/[[\]]/.test(text) || endsInEscape(text)) return { suggestion: null };
  if (text.includes('***')) return { suggestion: `Did you mean \`${text.replace(/\*{3,}/g, '**')}\`?` };
  const isFolder = text.endsWith('/');
  const names = text.split('/').filter((name) => name !== '');
  const isAnchored = text.slice(0, -1).includes('/');
  const parsed = names.map(parseSegment);
  const literal = isFolder || names.at(-1) !== '**' ? literalOf(parsed) : undefined;
  const segments: Segment[] = isAnchored ? parsed : ['folders', ...parsed];
  // The contents of a folder are what is below it, at least one level.
  if (isFolder && parsed.length > 0) segments.push('folders');
  return {
    segments: parsed.length === 0 ? [] : segments,
    // `docs/*` means the files of one folder alone, unlike in `.gitignore`.
    hasBelow: names.at(-1) !== '*' && names.at(-1) !== '**' && !isFolder,
    literal: literal === undefined ? undefined : { path: literal, isAnchored, isFolder },
    extension: isAnchored ? undefined : /^\*\.([^*?\\./]+)$/.exec(text)?.[1],
  };
}

export function isBadPattern(pattern: OwnerPattern | BadPattern): pattern is BadPattern {
  return 'suggestion' in pattern;
}

/** Undefined where a name is not literal. */
function literalOf(segments: readonly Segment[]): string | undefined {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment === 'folders' || segment.length !== 1 || segment[0]!.free.size > 0) return undefined;
    names.push(segment[0]!.text);
  }
  return names.length === 0 ? undefined : names.join('/');
}

function endsInEscape(text: string): boolean {
  let escapes = 0;
  while (text.at(-1 - escapes) === '\\') escapes += 1;
  return escapes % 2 === 1;
}

function parseSegment(name: string): Segment {
  if (name === '**') return 'folders';
  const pieces: Piece[] = [];
  let text = '';
  let free: Set<number> | undefined;
  const endPiece = () => {
    pieces.push({ text, free: free ?? NO_PIECE_FREE });
    [text, free] = ['', undefined];
  };
  for (let at = 0; at < name.length; at += 1) {
    const letter = name[at]!;
    if (letter === '*') {
      endPiece();
      continue;
    }
    if (letter === '?') (free ??= new Set()).add(text.length);
    text += letter === '\\' ? (name[(at += 1)] ?? '') : letter;
  }
  endPiece();
  // Several asterisks that follow each other are one.
  return pieces.filter(({ text: inside }, at) => at === 0 || at === pieces.length - 1 || inside !== '');
}

/**
 * `names` are those of the path of a file, from the root. Keeps how many of them may be used up after each segment,
 * so that no choice is tried twice.
 */
export function matchesPattern({ segments, hasBelow }: OwnerPattern, names: readonly string[]): boolean {
  const [first] = segments;
  // Nearly all patterns of a large file differ from a path in its first name.
  if (first === undefined || (first !== 'folders' && !matchesName(first, names[0]!))) return false;
  let reached = new Set([0]);
  for (const [index, segment] of segments.entries()) {
    reached =
      segment === 'folders'
        ? afterFolders(reached, names.length, index === segments.length - 1)
        : afterName(reached, names, segment);
    if (reached.size === 0) return false;
  }
  return hasBelow || reached.has(names.length);
}

function afterFolders(reached: ReadonlySet<number>, count: number, isLast: boolean): Set<number> {
  const least = Math.min(...reached);
  // At the end something has to be below; before it, folders may be none, and a name has to follow.
  if (isLast) return least < count ? new Set([count]) : new Set();
  return new Set(Array.from({ length: Math.max(0, count - least) }, (_, at) => least + at));
}

function afterName(
  reached: ReadonlySet<number>,
  names: readonly string[],
  segment: readonly Piece[],
): Set<number> {
  const next = new Set<number>();
  for (const at of reached) if (at < names.length && matchesName(segment, names[at]!)) next.add(at + 1);
  return next;
}

/** The first place of each piece is as good as any later one, so that nothing has to be tried again. */
function matchesName(pieces: readonly Piece[], name: string): boolean {
  const first = pieces[0]!;
  if (pieces.length === 1) return first.text.length === name.length && isAt(first, name, 0);
  const last = pieces.at(-1)!;
  const end = name.length - last.text.length;
  let at = first.text.length;
  if (end < at || !isAt(first, name, 0) || !isAt(last, name, end)) return false;
  for (const piece of pieces.slice(1, -1)) {
    const found = indexOfPiece(piece, name, at);
    if (found === -1 || found + piece.text.length > end) return false;
    at = found + piece.text.length;
  }
  return true;
}

function indexOfPiece(piece: Piece, name: string, from: number): number {
  if (piece.free.size === 0) return name.indexOf(piece.text, from);
  for (let at = from; at + piece.text.length <= name.length; at += 1) if (isAt(piece, name, at)) return at;
  return -1;
}

function isAt({ text, free }: Piece, name: string, start: number): boolean {
  if (free.size === 0) return name.startsWith(text, start);
  for (let at = 0; at < text.length; at += 1)
    if (!free.has(at) && text[at] !== name[start + at]) return false;
  return true;
}
