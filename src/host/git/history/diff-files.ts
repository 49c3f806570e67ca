// Reads the first two sections of `git diff-tree -z --raw --numstat -p` while they are printed: files, and counts of lines.
import { Failure } from '../../../kernel/failure.ts';

export type FileStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';

export interface DiffFile {
  /** Bytes that are not UTF-8 are replaced. */
  filename: string;
  /** For renamed and copied files. */
  previousFilename?: string;
  /** `changed` is a new mode with the same content, or another kind of file. */
  status: FileStatus;
  additions: number;
  deletions: number;
  changes: number;
  /** The new blob, or the commit of a submodule. Undefined for removed files. */
  oid: string | undefined;
  oldOid: string | undefined;
  /** Undefined for removed files. */
  mode: string | undefined;
  isBinary: boolean;
  /** From the first `@@`. Undefined for binary files, for those without changed lines, and above the limits. */
  patch?: string;
}

export interface DiffTotal {
  files: number;
  additions: number;
  deletions: number;
}

/** How many patches git prints for each file, in the same order. */
export interface ListedFile {
  file: DiffFile;
  /** A file that becomes a symbolic link, or a submodule a file, is printed as removed and added. */
  patches: 1 | 2;
}

const STATUS: Readonly<Record<string, FileStatus>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};
const MAX_NAME_BYTES = 1024 * 1024;
const COLON = 0x3a;
const TAB = 0x09;

/** Each record is a head and names, all ended by NUL. An empty record stands before the patches. */
export class FileTable {
  readonly files: ListedFile[] = [];
  readonly total: DiffTotal = { files: 0, additions: 0, deletions: 0 };
  readonly #maxFiles: number;
  #rest: Buffer = Buffer.alloc(0);
  /** The tokens of a record that is not complete. */
  #record: Buffer[] = [];
  #missing = 0;
  #counted = 0;

  /** Further files are only counted. */
  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  /** Returns the beginning of the patches when it comes to it. */
  read(chunk: Buffer): Buffer | undefined {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      const token = bytes.subarray(start, end);
      start = end + 1;
      if (this.#record.length === 0 && token.length === 0) return bytes.subarray(start);
      this.#add(token);
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > MAX_NAME_BYTES)
      throw new Failure('too-large', 'The diff has a file name that is too long to show.');
    return undefined;
  }

  #add(token: Buffer): void {
    if (this.#record.length === 0) this.#missing = namesAfter(token);
    else this.#missing -= 1;
    this.#record.push(token);
    if (this.#missing > 0) return;
    const [head, ...names] = this.#record as [Buffer, ...Buffer[]];
    this.#record = [];
    if (head[0] === COLON) this.#addFile(head.toString('latin1'), names);
    else this.#addCounts(head.toString('latin1'));
  }

  #addFile(head: string, names: readonly Buffer[]): void {
    this.total.files += 1;
    if (this.files.length < this.#maxFiles) this.files.push(listedFile(head, names));
  }

  #addCounts(head: string): void {
    const [added = '', removed = ''] = head.split('\t');
    const listed = this.files[this.#counted];
    this.#counted += 1;
    const isBinary = added === '-';
    const additions = isBinary ? 0 : Number(added);
    const deletions = isBinary ? 0 : Number(removed);
    this.total.additions += additions;
    this.total.deletions += deletions;
    if (listed !== undefined)
      Object.assign(listed.file, { additions, deletions, changes: additions + deletions, isBinary });
  }
}

/** How many names follow as tokens of their own. */
function namesAfter(head: Buffer): number {
  // Of a renamed file the name after the second tab is empty.
  if (head[0] !== COLON)
    return head.at(-1) === TAB && head.toString('latin1').split('\t').length === 3 ? 2 : 0;
  const status = head.toString('latin1').split(' ')[4] ?? '';
  return /^[RC]/.test(status) ? 2 : 1;
}

/** The head is `:<old mode> <mode> <old id> <id> <status>`. */
function listedFile(head: string, names: readonly Buffer[]): ListedFile {
  const [oldMode, mode = '', oldOid = '', oid = '', letter = ''] = head.slice(1).split(' ');
  const isModeOnly = letter === 'M' && oldOid === oid && oldMode !== mode;
  const [first, second] = names.map((name) => name.toString());
  const hasNew = letter !== 'D';
  const file: DiffFile = {
    filename: second ?? first ?? '',
    ...(second === undefined ? {} : { previousFilename: first! }),
    status: isModeOnly ? 'changed' : (STATUS[letter[0]!] ?? 'changed'),
    additions: 0,
    deletions: 0,
    changes: 0,
    oid: hasNew ? oid : undefined,
    oldOid: letter === 'A' ? undefined : oldOid,
    mode: hasNew ? mode : undefined,
    isBinary: false,
  };
  return { file, patches: letter === 'T' ? 2 : 1 };
}
