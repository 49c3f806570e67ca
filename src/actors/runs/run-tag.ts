// How policies name the things that a run has created.

/** The tag of what a run has created, in the names of resources. */
export function runTag(runId: string): string {
  return `run-${runId}`;
}
