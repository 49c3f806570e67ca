// What every step of an import has at hand: both servers, the report, which thing here stands for which there, and how far it is, in a file of the data folder that holds no token.
import { isDeepStrictEqual } from 'node:util';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KIND_WORDS, type ImportedThing, type ImportReport } from '../import-report.ts';
import type { Progress } from '../../progress.ts';
import type { RemoteApi } from './remote-api.ts';
import { RemoteError, isRetryable } from './remote-error.ts';
import { createPrivateFolder, PRIVATE_FILE } from '../../../kernel/storage/disk/private-files.ts';

interface ImportOptions {
  isDryRun: boolean;
  /** Replaces what differs on the target. */
  overwrites: boolean;
  /** Leaves schedules and webhooks on that are on at the source. */
  enables: boolean;
}

export interface RemoteAccount {
  id: string;
  username: string;
}

/** In a dry run, the id of what would be created. */
export const PLANNED = '(planned)';

export interface ImportContext {
  from: RemoteApi;
  to: RemoteApi;
  owner: { from: RemoteAccount; to: RemoteAccount };
  /** Where clients reach the target, for URLs that are stored there. */
  publicUrl: string;
  /** Whether the token for the target ends with the import. */
  hasOwnToken: boolean;
  options: ImportOptions;
  report: ImportReport;
  state: ImportState;
  progress: Progress;
  /** From ids of the source to those of the target. */
  ids: { actors: Map<string, string>; tasks: Map<string, string>; stores: Map<string, string> };
}

/** Reports the outcome, and prints its line. */
export function reportThing({ report, progress, options }: ImportContext, thing: ImportedThing): void {
  report.add(thing);
  const { kind, name, outcome, reason } = thing;
  const isPlan = options.isDryRun && (outcome === 'created' || outcome === 'changed');
  const done = isPlan ? `would be ${outcome}` : outcome;
  progress.line(`${KIND_WORDS[kind]} ${name}: ${done}${reason === undefined ? '' : ` (${reason})`}`);
}

/** What one server rejects is reported, and the import goes on; a server that is gone ends it. */
export async function attempt(
  context: ImportContext,
  { kind, name }: Pick<ImportedThing, 'kind' | 'name'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RemoteError) || isRetryable(error) || error.status === 401) throw error;
    reportThing(context, { kind, name, outcome: 'failed', reason: error.message });
  }
}

export type RemoteFields = Record<string, unknown>;

/** Only these fields, without those that are null or absent. */
export function pickFields(from: RemoteFields, names: readonly string[]): RemoteFields {
  return Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]));
}

/** The names of fields that the target has otherwise; what the source leaves open may be anything. */
export function differingFields(wanted: RemoteFields, actual: RemoteFields): string[] {
  return Object.keys(wanted).filter((name) => !includes(actual[name], wanted[name]));
}

/** Objects may have more fields on the target, such as defaults; null counts as absent. */
function includes(actual: unknown, wanted: unknown): boolean {
  if (wanted == null) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => includes(actual[index], item))
    );
  }
  if (typeof wanted !== 'object') return isDeepStrictEqual(actual, wanted);
  if (typeof actual !== 'object' || actual === null)
    return Object.values(wanted).every((value) => value == null);
  return Object.entries(wanted).every(([name, value]) => includes((actual as RemoteFields)[name], value));
}

const FOLDER = 'imports';
const FORMAT = 1;

/** How far a storage was copied. It only saves work: without it everything is compared. */
export interface StorageProgress {
  /** Of the storage on the target: another one of the same name starts anew. */
  targetId: string;
  /** The state of the source that the position is about. */
  sourceModifiedAt: string;
  /** The last key, or the cursor of the next page. */
  position?: string;
  /** Which of several passes the position is about. */
  pass?: number;
  isDone?: boolean;
}

interface StateFile {
  format: number;
  storages: Record<string, StorageProgress>;
}

/** The accounts on both sides, each by the URL of its server and its id. */
export interface ImportEnds {
  from: { url: string; userId: string };
  to: { url: string; userId: string };
}

export class ImportState {
  readonly file: string;
  readonly #storages: Map<string, StorageProgress>;

  private constructor(file: string, storages: Map<string, StorageProgress>) {
    this.file = file;
    this.#storages = storages;
  }

  /** A file that cannot be read counts as none. */
  static open(data: string, { from, to }: ImportEnds): ImportState {
    const ends = [from.url, from.userId, to.url, to.userId].join('\n');
    const name = createHash('sha256').update(ends).digest('hex').slice(0, 16);
    const file = join(data, FOLDER, `${name}.json`);
    return new ImportState(file, new Map(Object.entries(readStorages(file))));
  }

  /** Undefined if the source has changed since, or the target is another one. */
  find(key: string, { targetId, sourceModifiedAt }: StorageProgress): StorageProgress | undefined {
    const known = this.#storages.get(key);
    return known?.targetId === targetId && known.sourceModifiedAt === sourceModifiedAt ? known : undefined;
  }

  save(key: string, progress: StorageProgress): void {
    this.#storages.set(key, progress);
    createPrivateFolder(join(this.file, '..'));
    const draft = `${this.file}.${randomBytes(4).toString('hex')}`;
    const content: StateFile = { format: FORMAT, storages: Object.fromEntries(this.#storages) };
    writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: PRIVATE_FILE });
    renameSync(draft, this.file);
  }
}

function readStorages(file: string): Record<string, StorageProgress> {
  try {
    const { format, storages } = JSON.parse(readFileSync(file, 'utf8')) as StateFile;
    return format === FORMAT ? storages : {};
  } catch {
    return {};
  }
}
