/** JSON with sorted keys, so that another order is no difference. Nothing for a value that is not there. */
export function stableJson(value: unknown): string {
  if (value === undefined) return '';
  return JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? sortedRecord(part) : part), 2);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortedRecord(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
