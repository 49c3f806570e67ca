// Payload filters: an SDK may ask for a part of its flags by the key of a filter.
import { Failure } from '../../kernel/failure.ts';
import { Type } from '../../kernel/schema/schema.ts';

export const PayloadFilter = {
  filter: Type.Optional(Type.String({ description: 'The key of a payload filter' })),
};

/** No environment has a filter: an SDK that asks for one must not get everything instead. */
export function checkFilter({ filter }: { filter?: string } = {}): void {
  if (filter !== undefined && filter !== '')
    throw new Failure('not-found', `There is no payload filter ${JSON.stringify(filter)}.`);
}
