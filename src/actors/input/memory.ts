// The memory of a run, a power of two in megabytes: what the caller asks for, the Actor's definition says or the Actor has as default, within the limits of both.
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { evaluateMemory } from './memory-expression.ts';
import { isJson } from './input-json.ts';
import type { InputBody } from './prepare-input.ts';
import { TaskError, toFailure } from './thread-task.ts';

export const MIN_MEMORY = 128;
export const MAX_MEMORY = 32_768;

export function checkMemorySize(field: string, mbytes: number): void {
  if (mbytes >= MIN_MEMORY && mbytes <= MAX_MEMORY && Number.isInteger(Math.log2(mbytes))) return;
  throw problem(field, `must be a power of two from ${MIN_MEMORY} to ${MAX_MEMORY}`);
}

/** What `.actor/actor.json` says of memory; written by users, so nothing is trusted. */
interface MemoryDefinition {
  minMemoryMbytes?: unknown;
  maxMemoryMbytes?: unknown;
  /** A number, or an expression over the input. */
  defaultMemoryMbytes?: unknown;
}

interface WantedMemory {
  /** The parameter `memory` of the call. */
  requested: number | undefined;
  /** `.actor/actor.json` of the build. */
  definition: MemoryDefinition;
  /** Of the Actor's default run options. */
  actorDefault: number;
  /** As `prepareInput` returned it. */
  input: InputBody | undefined;
  /** Those that an expression may use: `maxItems`, `timeoutSecs` and so on. */
  runOptions: Record<string, unknown>;
  userId: string;
}

/** Parsed on the event loop up to this size, and above in the input thread. */
const MAX_PARSED_BYTES = 100_000;

/** In megabytes, a power of two. Errors name the field that is wrong. */
export async function memoryOfRun(kernel: Pick<Kernel, 'services'>, wanted: WantedMemory): Promise<number> {
  const { requested, definition, actorDefault } = wanted;
  if (requested !== undefined) return fitMemory(requested, 'memory', definition);
  const { defaultMemoryMbytes: value } = definition;
  if (value === undefined || value === null) return fitMemory(actorDefault, 'memoryMbytes', definition);
  if (typeof value === 'number') return fitMemory(value, 'defaultMemoryMbytes', definition);
  if (typeof value !== 'string')
    throw memoryError('defaultMemoryMbytes', 'must be a number or an expression');
  return fitMemory(await evaluate(kernel, value, wanted), 'defaultMemoryMbytes', definition);
}

async function evaluate(
  { services }: Pick<Kernel, 'services'>,
  expression: string,
  { input, runOptions, userId }: WantedMemory,
): Promise<number> {
  const body = input && isJson(input.contentType) ? input.body : undefined;
  if (body !== undefined && body.byteLength > MAX_PARSED_BYTES) {
    const task = { kind: 'evaluate-memory', expression, input: body, runOptions } as const;
    return await services.inputChecker.run(userId, task);
  }
  try {
    return evaluateMemory(expression, { input: parse(body), runOptions });
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    throw toFailure(error);
  }
}

/** Without a schema the input may be anything. */
function parse(body: Uint8Array | undefined): unknown {
  if (body === undefined) return {};
  try {
    return JSON.parse(Buffer.from(body).toString()) as unknown;
  } catch {
    return {};
  }
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

function memoryError(name: string, message: string): Failure {
  return new Failure('invalid', `${name} ${message}`);
}
