// The memory of a new run: what the caller asks for, else what the Actor's definition says, else the Actor's default.
import type { Kernel } from '../../kernel/kernel.ts';
import { fitMemory, memoryError, type MemoryDefinition } from './memory.ts';
import { evaluateMemory } from './memory-expression.ts';
import { isJson, type InputBody } from './prepare-input.ts';
import { TaskError, toFailure } from './thread-task.ts';

export interface WantedMemory {
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
