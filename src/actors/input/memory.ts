// The memory of a run: a power of two in megabytes, within the limits of the platform and of the Actor.
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';

export const MIN_MEMORY = 128;
export const MAX_MEMORY = 32_768;

export function checkMemorySize(field: string, mbytes: number): void {
  if (mbytes >= MIN_MEMORY && mbytes <= MAX_MEMORY && Number.isInteger(Math.log2(mbytes))) return;
  throw problem(field, `must be a power of two from ${MIN_MEMORY} to ${MAX_MEMORY}`);
}

/** What `.actor/actor.json` says of memory; written by users, so nothing is trusted. */
export interface MemoryDefinition {
  minMemoryMbytes?: unknown;
  maxMemoryMbytes?: unknown;
  /** A number, or an expression over the input. */
  defaultMemoryMbytes?: unknown;
}

/**
 * Rounded to the nearest power of two and brought into the limits of the Actor. `name` is the field that the value comes from,
 * for errors.
 */
export function fitMemory(mbytes: number, name: string, definition: MemoryDefinition): number {
  if (!Number.isFinite(mbytes) || mbytes <= 0)
    throw memoryError(name, `must be a positive number of megabytes, not ${mbytes}`);
  const { least, most } = memoryLimits(definition);
  return clamp(2 ** Math.round(Math.log2(mbytes)), least, most);
}

/** Both are powers of two. Throws where they contradict each other. */
export function memoryLimits({ minMemoryMbytes, maxMemoryMbytes }: MemoryDefinition): {
  least: number;
  most: number;
} {
  const least = limitOf('minMemoryMbytes', minMemoryMbytes, MIN_MEMORY, Math.ceil);
  const most = limitOf('maxMemoryMbytes', maxMemoryMbytes, MAX_MEMORY, Math.floor);
  if (least > most)
    throw memoryError('minMemoryMbytes', `(${least}) must not be more than maxMemoryMbytes (${most})`);
  return { least, most };
}

/** A limit that is no power of two becomes the next one inside. */
function limitOf(name: string, value: unknown, absent: number, round: (power: number) => number): number {
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw memoryError(name, 'must be a positive number of megabytes');
  return clamp(2 ** round(Math.log2(value)), MIN_MEMORY, MAX_MEMORY);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export function memoryError(name: string, message: string): Failure {
  return new Failure('invalid', `${name} ${message}`);
}
