// What differs between two revisions of a gist. The API gives the files of each; they are compared here, within bounds.
import { structuredPatch } from 'diff';
import type { DiffFile } from '../diff/diff-file.ts';
import { filesOf, wholeTextOf, type Gist, type GistFile } from './gist.ts';

/** In milliseconds, for all files together; the rest is then shown without lines. */
const TIME_LIMIT = 200;
/** Equal lines around those that differ. */
const CONTEXT = 3;

type Files = Pick<Gist, 'files'>;

/** `before` is undefined for the first revision. */
export function compareRevisions(before: Files | undefined, after: Files): DiffFile[] {
  const end = Date.now() + TIME_LIMIT;
  const old = new Map((before === undefined ? [] : filesOf(before)).map((file) => [file.filename, file]));
  const present = new Map(filesOf(after).map((file) => [file.filename, file]));
  const removed = [...old.values()].filter(({ filename }) => !present.has(filename));
  const added = [...present.values()].filter(({ filename }) => !old.has(filename));
  const moved = new Map(
    added.flatMap((file) => {
      const from = removed.find((one) => contentId(one) === contentId(file));
      if (from === undefined) return [];
      removed.splice(removed.indexOf(from), 1);
      return [[file.filename, from] as const];
    }),
  );
  const changed = [...present.values()].flatMap((file) => {
    const from = old.get(file.filename) ?? moved.get(file.filename);
    if (from?.filename === file.filename && contentId(from) === contentId(file)) return [];
    return diffOf(from, file, end - Date.now());
  });
  return [...changed, ...removed.map((file) => diffOf(file, undefined, end - Date.now()))];
}

/** The address of the bytes names them, so that equal ones are equal contents. */
function contentId({ raw_url: url }: GistFile): string {
  return /\/raw\/([0-9a-f]{40})\//.exec(url)?.[1] ?? url;
}

/** One of the two may be absent. */
function diffOf(before: GistFile | undefined, after: GistFile | undefined, timeout: number): DiffFile {
  const filename = (after ?? before)!.filename;
  const status =
    before === undefined
      ? 'added'
      : after === undefined
        ? 'removed'
        : before.filename === filename
          ? 'modified'
          : 'renamed';
  const patch = patchOf(before, after, timeout);
  const lines = patch?.split('\n') ?? [];
  const additions = lines.filter((line) => line.startsWith('+')).length;
  const deletions = lines.filter((line) => line.startsWith('-')).length;
  return {
    filename,
    ...(status === 'renamed' && { previous_filename: before!.filename }),
    status,
    additions,
    deletions,
    changes: additions + deletions,
    ...(patch !== undefined && patch !== '' && { patch }),
  };
}

/** The hunks alone. Undefined for what is no text, too long, or took too long. */
function patchOf(
  before: GistFile | undefined,
  after: GistFile | undefined,
  timeout: number,
): string | undefined {
  const old = before === undefined ? '' : wholeTextOf(before);
  const text = after === undefined ? '' : wholeTextOf(after);
  if (old === undefined || text === undefined || timeout <= 0) return undefined;
  const patch = structuredPatch('', '', old, text, undefined, undefined, { context: CONTEXT, timeout });
  return patch?.hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n');
}
