// Converts the errors of both database drivers and of the file system to the same failures.
import { Failure } from '../failure.ts';
import type { FailureKind } from '../failure.ts';

type Meaning = [kind: FailureKind, message: string, isContested?: true];

const TAKEN: Meaning = ['conflict', 'There is already one with the same key.'];
const BOUND: Meaning = [
  'conflict',
  'It names something that does not exist, or something else still needs it.',
];
/** On PostgreSQL a row may vanish between a transaction's read and its write; on SQLite it cannot. */
const UNBOUND: Meaning = [BOUND[0], BOUND[1], true];
const DEADLOCK: Meaning = ['unavailable', 'Others are changing the same things; try again.', true];
const BUSY: Meaning = ['unavailable', 'The database is busy with other writes; try again.'];
const AWAY: Meaning = ['unavailable', 'The database does not answer; try again later.'];
const FULL: Meaning = ['unavailable', 'The disk is full: nothing can be written until there is space again.'];
const SEALED: Meaning = [
  'unavailable',
  'The files can only be read: check their owner and how the disk is mounted.',
];
const BROKEN: Meaning = ['unavailable', 'Files could not be read or written: check the disk.'];
/** SQLite would store such a value and PostgreSQL cannot: validation of the request should have refused it. */
const UNFIT: Meaning = [
  'invalid',
  'It holds a value that cannot be stored: a NUL character, or a number too large.',
];
const IDLE: Meaning = [
  'timeout',
  'The transaction waited too long for its next statement and was rolled back.',
];

/** By SQLite's extended result code, or by its low byte. */
const SQLITE: Record<number, Meaning> = {
  1555: TAKEN, // PRIMARYKEY
  2067: TAKEN, // UNIQUE
  2579: TAKEN, // ROWID
  787: BOUND, // FOREIGNKEY
  5: BUSY,
  6: BUSY, // LOCKED
  8: SEALED, // READONLY
  10: BROKEN, // IOERR
  11: BROKEN, // CORRUPT
  13: FULL,
  14: BROKEN, // CANTOPEN
  26: BROKEN, // NOTADB
};

/** By PostgreSQL's SQLSTATE, or by its class. */
const POSTGRES: Record<string, Meaning> = {
  '23505': TAKEN,
  '23503': UNBOUND,
  '22021': UNFIT, // a character that text cannot hold
  '22003': UNFIT, // a number out of range
  '40001': DEADLOCK, // serialization failure
  '40P01': DEADLOCK,
  '55P03': BUSY, // lock not available
  '25006': SEALED,
  '25P03': IDLE,
  '53100': FULL,
  '08': AWAY, // connection lost
  '28': AWAY, // authentication failed
  '53': AWAY, // too many connections, out of memory
  '57': AWAY, // shut down or cancelled by an operator
  '58': BROKEN, // the server's own files
};

/** By the code of Node's errors of sockets and files. */
const SYSTEM: Record<string, Meaning> = {
  ECONNREFUSED: AWAY,
  ECONNRESET: AWAY,
  ECONNABORTED: AWAY,
  EPIPE: AWAY,
  ETIMEDOUT: AWAY,
  EHOSTUNREACH: AWAY,
  ENETUNREACH: AWAY,
  ENOTFOUND: AWAY,
  EAI_AGAIN: AWAY,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: SEALED,
  EACCES: SEALED,
  EPERM: SEALED,
  EIO: BROKEN,
  EMFILE: BROKEN,
  ENFILE: BROKEN,
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
  const meaning = meaningOf(error);
  if (!meaning) return error;
  const [kind, message, isContested] = meaning;
  return new Failure(kind, message, {
    cause: error,
    ...(isContested && { isContested }),
    ...(meaning === TAKEN && { data: keyOf(error) }),
  });
}

function meaningOf({ errcode, code = '', message }: DriverError): Meaning | undefined {
  if (errcode !== undefined) return SQLITE[errcode] ?? SQLITE[errcode & 0xff];
  return (
    SYSTEM[code] ?? POSTGRES[code] ?? POSTGRES[code.slice(0, 2)] ?? (LOST.test(message) ? AWAY : undefined)
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
