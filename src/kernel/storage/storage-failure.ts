// Converts the errors of both database drivers and of the file system to the same failures.
import { Failure } from '../failure.ts';
import type { FailureKind } from '../failure.ts';

type FailureTemplate = [kind: FailureKind, message: string, isContested?: true];

const TAKEN: FailureTemplate = ['conflict', 'There is already one with the same key.'];
const FOREIGN_KEY: FailureTemplate = [
  'conflict',
  'It names something that does not exist, or something else still needs it.',
];
/** On PostgreSQL a row may vanish between a transaction's read and its write; on SQLite it cannot. */
const FOREIGN_KEY_RACE: FailureTemplate = [FOREIGN_KEY[0], FOREIGN_KEY[1], true];
const DEADLOCK: FailureTemplate = ['unavailable', 'Others are changing the same things; try again.', true];
const BUSY: FailureTemplate = ['unavailable', 'The database is busy with other writes; try again.'];
const UNREACHABLE: FailureTemplate = ['unavailable', 'The database does not answer; try again later.'];
const DISK_FULL: FailureTemplate = [
  'unavailable',
  'The disk is full: nothing can be written until there is space again.',
];
/** Of PostgreSQL, whose disk may be elsewhere: the server's own has room. */
const DATABASE_FULL: FailureTemplate = [
  'unavailable',
  'The disk of the database is full: nothing can be written until there is space again.',
];
const READ_ONLY: FailureTemplate = [
  'unavailable',
  'The files can only be read: check their owner and how the disk is mounted.',
];
const DISK_ERROR: FailureTemplate = ['unavailable', 'Files could not be read or written: check the disk.'];
/** SQLite would store such a value and PostgreSQL cannot: validation of the request should have refused it. */
const UNSTORABLE: FailureTemplate = [
  'invalid',
  'It holds a value that cannot be stored: a NUL character, or a number too large.',
];
const IDLE: FailureTemplate = [
  'timeout',
  'The transaction waited too long for its next statement and was rolled back.',
];

/** By SQLite's extended result code, or by its low byte. */
const SQLITE: Record<number, FailureTemplate> = {
  1555: TAKEN, // PRIMARYKEY
  2067: TAKEN, // UNIQUE
  2579: TAKEN, // ROWID
  787: FOREIGN_KEY, // FOREIGNKEY
  5: BUSY,
  6: BUSY, // LOCKED
  8: READ_ONLY, // READONLY
  10: DISK_ERROR, // IOERR
  11: DISK_ERROR, // CORRUPT
  13: DISK_FULL,
  14: DISK_ERROR, // CANTOPEN
  26: DISK_ERROR, // NOTADB
};

/** By PostgreSQL's SQLSTATE, or by its class. */
const POSTGRES: Record<string, FailureTemplate> = {
  '23505': TAKEN,
  '23503': FOREIGN_KEY_RACE,
  '22021': UNSTORABLE, // a character that text cannot hold
  '22003': UNSTORABLE, // a number out of range
  '40001': DEADLOCK, // serialization failure
  '40P01': DEADLOCK,
  '55P03': BUSY, // lock not available
  '25006': READ_ONLY,
  '25P03': IDLE,
  '53100': DATABASE_FULL,
  '08': UNREACHABLE, // connection lost
  '28': UNREACHABLE, // authentication failed
  '53': UNREACHABLE, // too many connections, out of memory
  '57': UNREACHABLE, // shut down or cancelled by an operator
  '58': DISK_ERROR, // the server's own files
};

/** By the code of Node's errors of sockets and files. */
const SYSTEM: Record<string, FailureTemplate> = {
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ECONNABORTED: UNREACHABLE,
  EPIPE: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EROFS: READ_ONLY,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EIO: DISK_ERROR,
  EMFILE: DISK_ERROR,
  ENFILE: DISK_ERROR,
};

/** pg's messages for a lost connection that have no code. */
const LOST =
  /^Connection terminated|^timeout expired|^timeout exceeded when|is not queryable|pool after calling end/;

/** The members of driver errors: `errcode` is node:sqlite's; `code`, `table` and `detail` are pg's. */
interface DriverError extends Error {
  errcode?: number;
  code?: string;
  table?: string;
  detail?: string;
}

/** Converts an error of the environment to a Failure; any other is a bug and is returned unchanged. */
export function asStorageFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const template = templateOf(error);
  if (!template) return error;
  const [kind, message, isContested] = template;
  return new Failure(kind, message, {
    cause: error,
    ...(isContested && { isContested }),
    ...(template === TAKEN && { data: keyOf(error) }),
  });
}

/** The failure of a write for which there is no room. */
export function diskFull(cause?: unknown): Failure {
  const [kind, message] = fullDiskOf(cause) ?? DISK_FULL;
  return new Failure(kind, message, { cause });
}

export function isDiskFull(error: unknown): boolean {
  return fullDiskOf(error) !== undefined;
}

function fullDiskOf(error: unknown): FailureTemplate | undefined {
  const template = error instanceof Error ? templateOf(error) : undefined;
  return template === DISK_FULL || template === DATABASE_FULL ? template : undefined;
}

function templateOf({ errcode, code = '', message }: DriverError): FailureTemplate | undefined {
  if (errcode !== undefined) return SQLITE[errcode] ?? SQLITE[errcode & 0xff];
  return (
    SYSTEM[code] ??
    POSTGRES[code] ??
    POSTGRES[code.slice(0, 2)] ??
    (LOST.test(message) ? UNREACHABLE : undefined)
  );
}

/** Whether another row already has the key. */
export function isUniqueViolation(error: unknown): boolean {
  return (
    error instanceof Failure && error.kind === 'conflict' && error.details.data?.['columns'] !== undefined
  );
}

/** The columns of the violated key, for tables with several unique ones. */
function keyOf({ errcode, message, table, detail = '' }: DriverError): { table: string; columns: string[] } {
  if (errcode === undefined) {
    // "Key (name, realm)=(ada, home) already exists."
    return { table: table ?? '', columns: /^Key \((.*?)\)=/.exec(detail)?.[1]?.split(', ') ?? [] };
  }
  // "UNIQUE constraint failed: members.name, members.realm"
  const names = message.slice(message.indexOf(': ') + 2).split(', ');
  return {
    table: names[0]?.split('.')[0] ?? '',
    columns: names.map((name) => name.slice(name.indexOf('.') + 1)),
  };
}
