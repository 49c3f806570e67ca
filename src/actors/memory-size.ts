// How much memory a run may have: a power of two, in megabytes.
import { problem } from '../kernel/schema/schema.ts';

export const MIN_MEMORY = 128;
export const MAX_MEMORY = 32_768;

export function checkMemorySize(field: string, mbytes: number): void {
  if (mbytes >= MIN_MEMORY && mbytes <= MAX_MEMORY && Number.isInteger(Math.log2(mbytes))) return;
  throw problem(field, `must be a power of two from ${MIN_MEMORY} to ${MAX_MEMORY}`);
}
