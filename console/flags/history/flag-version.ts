// A version of a flag as an entry of the audit log carries it, and which environments an entry is about.
import { environmentOf } from '../../lib/resource-links.ts';
import type { HistoryEntry } from './entry.ts';

export interface FlagVersion {
  _version: number;
  environments: Record<string, Record<string, unknown>>;
  [field: string]: unknown;
}

/** Undefined for what is no flag: planned changes and requests stand in the same log. */
export function flagVersionOf(value: unknown): FlagVersion | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return 'variations' in value && 'environments' in value ? (value as unknown as FlagVersion) : undefined;
}

/** What changes with every save, follows from the rest, or is a name that only programs know. */
const NOISE = new Set([
  '_id',
  '_links',
  '_site',
  '_summary',
  '_version',
  'version',
  'lastModified',
  'salt',
  'sel',
  '_environmentName',
]);

/** Without what says nothing to a reader. */
export function readableVersion(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readableVersion);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NOISE.has(name))
      .map(([name, inner]) => [name, readableVersion(inner)]),
  );
}

/** What stands in the history of a flag and leaves it as it is. */
const PLANNING = new Set([
  'updateScheduledChanges',
  'createApprovalRequest',
  'updateApprovalRequest',
  'reviewApprovalRequest',
  'deleteApprovalRequest',
]);

export function isFlagChange({ accesses }: Pick<HistoryEntry, 'accesses'>): boolean {
  return accesses.some(({ action }) => !PLANNING.has(action));
}

/** Whether something of it is about no single environment. */
export function isAboutWhole({ accesses }: Pick<HistoryEntry, 'accesses'>): boolean {
  return accesses.some(({ action, resource }) => environmentOf(resource, action) === undefined);
}

/** Empty where the change is about the flag as a whole. */
export function environmentsOf({ accesses }: Pick<HistoryEntry, 'accesses'>): string[] {
  const keys = accesses.flatMap(({ action, resource }) => environmentOf(resource, action) ?? []);
  return [...new Set(keys)];
}
