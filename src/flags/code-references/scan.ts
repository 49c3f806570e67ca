// The references that a scan of a branch found: checked and grouped by flag in time slices, and joined again by file.
import { Failure } from '../../kernel/failure.ts';
import { parseJson } from '../../kernel/json/parse.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import { checker, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { Key } from '../fields.ts';

const MAX_FILES = 10_000;
export const MAX_HUNKS = 25_000;

const Named = (description: string) => Type.Optional(Type.Union([Key(description), Type.Literal('')]));

const Hunk = Type.Object(
  {
    startingLineNumber: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
    lines: Type.Optional(Type.String({ description: 'The code around the flag' })),
    projKey: Named('The key of the project'),
    flagKey: Named('The key of the flag'),
    aliases: Type.Optional(
      Type.Array(Type.String({ maxLength: 1000 }), {
        maxItems: 1000,
        description: 'Other names of the flag in the code',
      }),
    ),
    contentHash: Type.Optional(Type.String({ maxLength: 256 })),
  },
  { $id: 'HunkRep' },
);
type Hunk = Static<typeof Hunk>;

const FILE = {
  path: PlainText({ minLength: 1, maxLength: 4096, description: 'The path of the file in the repository' }),
  hint: Type.Optional(PlainText({ maxLength: 256, description: 'The programming language' })),
};

export const CodeReferenceSchema = Type.Object({ ...FILE, hunks: Type.Array(Hunk) }, { $id: 'ReferenceRep' });
export type CodeReference = Static<typeof CodeReferenceSchema>;

/** A file without the keys of project and flag in its hunks. */
interface FlagFile {
  path: string;
  hint?: string;
  hunks: Omit<Hunk, 'projKey' | 'flagKey'>[];
}

/** All that names one flag on a branch. */
export interface FlagReferences {
  /** Empty where the scan names none; the same for the flag. */
  projectKey: string;
  flagKey: string;
  fileCount: number;
  hunkCount: number;
  /** A JSON list of the files. */
  doc: string;
}

export interface Scan {
  fileCount: number;
  hunkCount: number;
  flags: FlagReferences[];
}

const checkFile = checker(Type.Object({ ...FILE, hunks: Type.Array(Type.Unknown()) }), 'body');
const checkHunk = checker(Hunk, 'body');

export async function readScan(references: readonly unknown[]): Promise<Scan> {
  if (references.length > MAX_FILES) throw problem('references', `must be at most ${MAX_FILES} files`);
  const slice = new TimeSlice();
  const groups = new Map<string, { projectKey: string; flagKey: string; files: Map<string, FlagFile> }>();
  let hunkCount = 0;
  const paths = new Set<string>();
  for (const [index, reference] of references.entries()) {
    at(`references.${index}`, () => checkFile(reference));
    const { path, hint, hunks } = reference as CodeReference;
    paths.add(path);
    hunkCount += hunks.length;
    if (hunkCount > MAX_HUNKS) throw problem('references', `must have at most ${MAX_HUNKS} hunks in all`);
    for (const [number, hunk] of hunks.entries()) {
      at(`references.${index}.hunks.${number}`, () => checkHunk(hunk));
      const { projKey: projectKey = '', flagKey = '', ...rest } = hunk;
      const group = entryOf(groups, `${projectKey} ${flagKey}`, () => ({
        projectKey,
        flagKey,
        files: new Map<string, FlagFile>(),
      }));
      entryOf(group.files, path, () => ({
        path,
        ...(hint !== undefined && { hint }),
        hunks: [],
      })).hunks.push(storedHunk(rest));
      if (slice.isOver) await slice.yieldToEventLoop();
    }
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  const flags: FlagReferences[] = [];
  for (const { projectKey, flagKey, files } of groups.values()) {
    const list = [...files.values()];
    const count = list.reduce((sum, { hunks }) => sum + hunks.length, 0);
    const doc = (await stringifyLarge(list)).toString();
    flags.push({ projectKey, flagKey, fileCount: list.length, hunkCount: count, doc });
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return { fileCount: paths.size, hunkCount, flags };
}

/** Without members that the schema does not name: they would be stored. */
function storedHunk({ startingLineNumber, lines, aliases, contentHash }: FlagFile['hunks'][0]) {
  return {
    startingLineNumber,
    ...(lines !== undefined && { lines }),
    ...(aliases !== undefined && { aliases }),
    ...(contentHash !== undefined && { contentHash }),
  };
}

/** Names the place in the body in the error of a check. */
function at(place: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    const [first] = error instanceof Failure ? (error.details.fields ?? []) : [];
    if (first === undefined) throw error;
    throw problem(first.field === 'body' ? place : `${place}.${first.field}`, first.message);
  }
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** Files by path, and in each the hunks by line. */
export async function joinReferences(
  flags: readonly Pick<FlagReferences, 'projectKey' | 'flagKey' | 'doc'>[],
): Promise<CodeReference[]> {
  const slice = new TimeSlice();
  const files = new Map<string, CodeReference>();
  for (const { projectKey, flagKey, doc } of flags) {
    const list = (await parseJson(Buffer.from(doc))) as FlagFile[];
    const keys = { ...(projectKey !== '' && { projKey: projectKey }), ...(flagKey !== '' && { flagKey }) };
    for (const { path, hint, hunks } of list) {
      const file = entryOf(files, path, () => ({ path, ...(hint !== undefined && { hint }), hunks: [] }));
      for (const hunk of hunks) file.hunks.push({ ...hunk, ...keys });
      if (slice.isOver) await slice.yieldToEventLoop();
    }
  }
  const joined = [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  for (const { hunks } of joined) {
    hunks.sort((one, other) => one.startingLineNumber - other.startingLineNumber);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return joined;
}
