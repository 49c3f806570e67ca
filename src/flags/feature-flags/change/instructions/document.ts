// The description of the patches of flags, from the table of the kinds of instructions and what may be edited.
import { listKinds } from '../../../patch/instructions.ts';
import { takesPatches } from '../../../patch/patch-document.ts';
import { Type } from '../../../../kernel/schema/schema.ts';
import { EditableConfig, EditableFlag } from '../../schemas.ts';
import { flagKinds } from './table.ts';

const ofLevel = (wanted: string) => [...flagKinds].filter(([, { level }]) => level === wanted);

/** Part of the description of the route that patches a flag. */
export const flagKindsText = [
  'Instructions of a semantic patch that need an `environmentKey`:',
  listKinds(ofLevel('environment')),
  'Instructions that work in all environments at once:',
  listKinds(ofLevel('flag')),
].join('\n\n');

export const flagPatches = takesPatches('Flag', {
  json: true,
  merge: () =>
    Type.Object({
      ...EditableFlag.properties,
      environments: Type.Record(Type.String(), EditableConfig, { description: 'By key' }),
    }),
  instructions: flagKinds,
});
