// The parameters of every call that starts a run, and the check of those that limit what it may cost.
import { Failure } from '../../kernel/failure.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { MAX_MEMORY, MIN_MEMORY } from '../input/memory.ts';
import { PERMISSION_LEVELS } from '../actors/model.ts';

/** A year. */
export const MAX_TIMEOUT_SECS = 31_536_000;

export const RUN_QUERY = {
  build: Type.Optional(Type.String({ description: 'A tag, or the number of a build' })),
  timeout: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIMEOUT_SECS, description: 'Seconds; 0 means no time-out' }),
  ),
  memory: Type.Optional(
    Type.Integer({
      description:
        `Megabytes. Rounded to the nearest power of two, and brought into the range from ${MIN_MEMORY} to ${MAX_MEMORY} and into ` +
        'what `minMemoryMbytes` and `maxMemoryMbytes` of the Actor allow; zero or less is refused',
    }),
  ),
  maxItems: Type.Optional(Type.Integer()),
  maxTotalChargeUsd: Type.Optional(Type.Number()),
  restartOnError: Type.Optional(Type.Boolean()),
  forcePermissionLevel: Type.Optional(Type.String({ description: `One of ${PERMISSION_LEVELS.join(', ')}` })),
};
const RunQuery = Type.Object(RUN_QUERY);
export type RunQuery = Static<typeof RunQuery>;

const MAX_NUMBER = 2_147_483_647;

type RunBudget = Partial<Record<'maxItems' | 'maxTotalChargeUsd', number | null | undefined>>;

/** `at` stands before their names in errors, such as `options.`. */
export function checkRunBudget({ maxItems, maxTotalChargeUsd }: RunBudget, at = ''): void {
  requirePositive(maxItems, `${at}maxItems`, 'max-items-must-be-greater-than-zero');
  requirePositive(
    maxTotalChargeUsd,
    `${at}maxTotalChargeUsd`,
    'max-total-charge-usd-must-be-greater-than-zero',
  );
}

function requirePositive(value: number | null | undefined, name: string, code: string): void {
  if (value === undefined || value === null || (value > 0 && value <= MAX_NUMBER)) return;
  throw new Failure('invalid', `${name} must be greater than zero.`, { code });
}
