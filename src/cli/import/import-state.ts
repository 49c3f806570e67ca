// Where an import is: which storages were copied, and how far, in a file of the data folder. It holds no token.
import { createHash } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFolder, PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';

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
