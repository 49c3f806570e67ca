// Instructions about prerequisites: other flags that must serve a given variation first.
import { shorten } from '../../../../kernel/json/pointer.ts';
import { problem, Type, type Static, type TObject } from '../../../../kernel/schema/schema.ts';
import { Key } from '../../../fields.ts';
import type { Prerequisite } from '../../flag.ts';
import { MAX_PREREQUISITES } from '../../model.ts';
import { inEnvironment, type InstructionScope, VariationId, findVariation } from './kind.ts';

const Needed = { key: Key(), variationId: VariationId };

const action = 'updatePrerequisites';

export const prerequisiteKinds = {
  addPrerequisite: inEnvironment(
    { action, summary: 'Needs a variation of another flag of the project', parameters: Needed },
    (config, input, scope) => {
      const added = readPrerequisite(input, scope);
      const known = config.prerequisites.find(({ key }) => key === added.key);
      if (known === undefined) return { ...config, prerequisites: [...config.prerequisites, added] };
      if (known.variation === added.variation) return config;
      throw problem(
        'key',
        `names a prerequisite that is there already, with another variation: ${added.key}`,
      );
    },
  ),
  updatePrerequisite: inEnvironment(
    { action, summary: 'Needs another variation of a prerequisite', parameters: Needed },
    (config, input, scope) => {
      const { prerequisites } = config;
      const index = prerequisites.findIndex(({ key }) => key === input.key);
      if (index < 0) throw problem('key', `names no prerequisite: ${shorten(input.key)}`);
      return { ...config, prerequisites: prerequisites.with(index, readPrerequisite(input, scope)) };
    },
  ),
  removePrerequisite: inEnvironment(
    { action, summary: 'Removes a prerequisite, if it is there', parameters: { key: Key() } },
    (config, input) => ({
      ...config,
      prerequisites: config.prerequisites.filter(({ key }) => key !== input.key),
    }),
  ),
  replacePrerequisites: inEnvironment(
    {
      action,
      summary: 'Needs these flags and no others',
      parameters: {
        prerequisites: Type.Array(Type.Object(Needed, { additionalProperties: false }), {
          maxItems: MAX_PREREQUISITES,
        }),
      },
    },
    (config, { prerequisites }, scope) => {
      const keys = new Set(prerequisites.map(({ key }) => key));
      if (keys.size < prerequisites.length) throw problem('prerequisites', 'cannot name a flag twice');
      return { ...config, prerequisites: prerequisites.map((input) => readPrerequisite(input, scope)) };
    },
  ),
};

function readPrerequisite(
  { key, variationId }: Static<TObject<typeof Needed>>,
  scope: InstructionScope,
): Prerequisite {
  if (key === scope.flag.key) throw problem('key', 'cannot name the flag itself');
  const needed = scope.references.flags.get(key);
  if (needed === undefined) throw problem('key', `names no flag of the project: ${shorten(key)}`);
  if (needed.archived) throw problem('key', `names a flag that is archived: ${shorten(key)}`);
  return { key, variation: findVariation(needed, variationId) };
}
