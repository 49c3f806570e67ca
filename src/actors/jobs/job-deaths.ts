// Deaths of processes that executed a job: each delays its next start further, and after the last one it is given up. Otherwise. ADR 0120.
// a job that ends the server would end it again after every restart.
import type { JobKind } from './job.ts';

interface Death {
  at: number;
  /** The claim of the process that died. */
  owner: string;
}

/** A job is not started again after so many deaths within an hour. */
const MAX_DEATHS = 5;
const WINDOW_MS = 60 * 60 * 1000;
const FIRST_DELAY_MS = 1_000;
const GROWTH = 4;

function parse(deaths: string | null): Death[] {
  return deaths === null ? [] : (JSON.parse(deaths) as Death[]);
}

/** Those within an hour of the last one. */
export function countDeaths(deaths: string | null): number {
  return parse(deaths).length;
}

/** Adds one to those of the last hour, and says when the job may start again: a job that is given up needs no delay. */
export function addDeath(
  deaths: string | null,
  owner: string,
  now: number,
): { deaths: string; startAt: number } {
  const recent = [...parse(deaths).filter(({ at }) => now - at < WINDOW_MS), { at: now, owner }];
  const isLast = recent.length >= MAX_DEATHS;
  const startAt = isLast ? now : now + FIRST_DELAY_MS * GROWTH ** (recent.length - 1);
  return { deaths: JSON.stringify(recent), startAt };
}

/** Without that of a process that proves to be alive. */
export function removeDeath(deaths: string | null, owner: string): string {
  return JSON.stringify(parse(deaths).filter((death) => death.owner !== owner));
}

/** Why the job is not started again; undefined where it is. */
export function reasonToGiveUp({ kind, deaths }: { kind: JobKind; deaths: number }): string | undefined {
  if (deaths < MAX_DEATHS) return undefined;
  return `The server ended unexpectedly ${MAX_DEATHS} times within an hour while it executed this ${kind}, so that it is not started again.`;
}
