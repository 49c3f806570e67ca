// What isolation the Actors of a data folder have had, so that a later start does not give them less without a word.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../../../kernel/storage/disk/private-files.ts';
import { hasUsers, type Isolation } from './isolation.ts';
import type { IsolationKind } from '../runner.ts';

export interface IsolationRecord {
  kind: IsolationKind;
  /** Whether programs belonged to users of their own. */
  hasUsers: boolean;
  disablesNamespaces: boolean;
  /** Whether programs had a network of their own, or none. */
  hasOwnNetwork?: boolean;
}

const RANKS: Record<IsolationKind, number> = { none: 0, uid: 1, bubblewrap: 2 };
const NAMES: Record<IsolationKind, string> = {
  none: 'no isolation',
  uid: 'users of their own',
  bubblewrap: 'bubblewrap',
};

export function recordOf(isolation: Isolation): IsolationRecord {
  return {
    kind: isolation.kind,
    hasUsers: hasUsers(isolation),
    disablesNamespaces: isolation.kind === 'bubblewrap' && isolation.abilities.disablesNamespaces,
  };
}

/** Undefined where there is none yet. */
export function readIsolationRecord(data: string): IsolationRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(data), 'utf8')) as IsolationRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`The file ${fileIn(data)} cannot be read: mend or delete it.`, { cause: error });
  }
}

export function writeIsolationRecord(data: string, record: IsolationRecord): void {
  const file = fileIn(data);
  writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`, { mode: PRIVATE_FILE });
  renameSync(`${file}.tmp`, file);
}

function fileIn(data: string): string {
  return join(data, 'isolation.json');
}

export interface IsolationFloor {
  /** The least kind that the operator accepts. */
  least?: IsolationKind | undefined;
  record?: IsolationRecord | undefined;
  isRoot: boolean;
}

/** The reason why no program may run: the isolation is below what was asked for, or below what there was before. */
export function explainLoss(
  isolation: Isolation,
  { least, record, isRoot }: IsolationFloor,
): string | undefined {
  const { kind } = isolation;
  const why = isolation.shortfall ?? 'what it needs is not installed, or the server has another user';
  if (least !== undefined) {
    if (RANKS[kind] >= RANKS[least]) return undefined;
    return `Actors are to have ${NAMES[least]} (--actor-isolation ${least}), and this server has ${NAMES[kind]}: ${why}.`;
  }
  if (record === undefined) return undefined;
  const lost = findLoss(recordOf(isolation), record, isRoot);
  if (lost === undefined) return undefined;
  return `Actors of this data folder had ${lost} before, and now they would have less: ${why}. Mend that and start the server again, or accept it with --actor-isolation ${kind}.`;
}

function findLoss(now: IsolationRecord, before: IsolationRecord, isRoot: boolean): string | undefined {
  if (RANKS[now.kind] < RANKS[before.kind]) return NAMES[before.kind];
  if (now.kind !== 'bubblewrap' || before.kind !== 'bubblewrap') return undefined;
  // A server that is not root any more has no user whom others obey.
  if (isRoot && before.hasUsers && !now.hasUsers) return 'sandboxes of users of their own';
  return before.disablesNamespaces && !now.disablesNamespaces
    ? 'sandboxes without namespaces inside'
    : undefined;
}
