// Times as the host writes them.

/** Without milliseconds. */
export function isoSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
