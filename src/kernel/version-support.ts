// Which versions answer, which are announced or ended, how long each is promised, and which one a call gets.
import { Failure } from './failure.ts';
import type { VersionTable } from './version.ts';

const SUPPORT_MONTHS = 24;

/**
 * Until when at least a version answers: 24 calendar months after its successor. A floor, not an end: a version ends when
 * a release moves it to `ended`, and never by the clock of a running server. Undefined while no successor is known.
 */
export function supportedUntil(table: VersionTable, version: string): number | undefined {
  const all = allVersions(table);
  const successor = all[all.indexOf(version) + 1];
  if (successor === undefined) return undefined;
  const floor = new Date(`${successor}T00:00:00Z`);
  floor.setUTCMonth(floor.getUTCMonth() + SUPPORT_MONTHS);
  return floor.getTime();
}

/** Ended, supported and announced ones: oldest first. */
export function allVersions({ ended = [], names, announced = [] }: VersionTable): string[] {
  return [...ended, ...names, ...announced];
}

/** Versions that the table ends before their 24 months are over: a release must not. */
export function endedTooEarly(table: VersionTable, now: number): string[] {
  return (table.ended ?? []).filter((version) => supportedUntil(table, version)! > now);
}

/** The version that answers where none is asked for. */
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
  throw new Failure('malformed', `"${asked}" is not a supported API version. Supported versions: ${list}.`);
}
