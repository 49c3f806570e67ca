// The support of versions: which are available, announced or ended, for how long, and which one a call gets.
import { Failure } from '../failure.ts';
import type { VersionTable } from './version.ts';

const SUPPORT_MONTHS = 24;

/** How much of a version that there is not an error repeats. */
const SHOWN_LENGTH = 40;

/**
 * The earliest end of a version: 24 calendar months after its successor. A version ends when a release moves it to
 * `ended`, never by the clock of a running server. Undefined while it has no successor.
 */
export function supportedUntil(table: VersionTable, version: string): number | undefined {
  const all = allVersions(table);
  const successor = all[all.indexOf(version) + 1];
  if (successor === undefined) return undefined;
  const floor = new Date(`${successor}T00:00:00Z`);
  floor.setUTCMonth(floor.getUTCMonth() + SUPPORT_MONTHS);
  return floor.getTime();
}

/** Ended, supported and announced versions, oldest first. */
export function allVersions({ ended = [], names, announced = [] }: VersionTable): string[] {
  return [...ended, ...names, ...announced];
}

/** Versions that the table ends before their 24 months are over, which a release must not do. */
export function endedTooEarly(table: VersionTable, now: number): string[] {
  return (table.ended ?? []).filter((version) => supportedUntil(table, version)! > now);
}

/** The version of calls that do not ask for one. */
export function defaultVersion({ names, default: chosen = names[0]! }: VersionTable): string {
  return chosen;
}

export function selectVersion(table: VersionTable, asked: string | undefined): string {
  if (asked === undefined) return defaultVersion(table);
  if (table.names.includes(asked)) return asked;
  const list = table.names
    .map((name) => (name === table.names.at(-1) ? `${name} (most recent)` : name))
    .join(', ');
  if (table.ended?.includes(asked)) {
    throw new Failure('retired', `API version ${asked} is no longer supported. Supported versions: ${list}.`);
  }
  if (table.announced?.includes(asked)) {
    throw new Failure(
      'malformed',
      `API version ${asked} is announced, and not released yet. Supported versions: ${list}.`,
    );
  }
  throw new Failure(
    'malformed',
    `"${shownVersion(asked)}" is not a supported API version. Supported versions: ${list}.`,
  );
}

/** Callers send whatever they like: the beginning is enough to recognise it. */
export function shownVersion(asked: string): string {
  return asked.length > SHOWN_LENGTH ? `${asked.slice(0, SHOWN_LENGTH)}…` : asked;
}
