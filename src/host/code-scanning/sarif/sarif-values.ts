// Reads values of a document of which nothing is known: what has another type counts as absent.

export type SarifObject = Record<string, unknown>;

export function objectIn(value: unknown): SarifObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SarifObject) : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without what a database cannot store, and not longer than `max`. */
export function textIn(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Lines and columns, which begin with 1. */
export function positionIn(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 1
    ? Math.min(value as number, 2 ** 31 - 1)
    : undefined;
}
