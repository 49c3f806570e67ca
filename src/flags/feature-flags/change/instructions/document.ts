// The description of the semantic patch of flags, generated from the table of its kinds.
import { listKinds, takesInstructions } from '../../../instructions/document.ts';
import { flagKinds } from './table.ts';

const ofLevel = (wanted: string) => [...flagKinds].filter(([, { level }]) => level === wanted);

/** Part of the description of the route that patches a flag. */
export const flagKindsText = [
  'Instructions of a semantic patch that need an `environmentKey`:',
  listKinds(ofLevel('environment')),
  'Instructions that work in all environments at once:',
  listKinds(ofLevel('flag')),
].join('\n\n');

export const flagPatches = takesInstructions(['json', 'merge', 'semantic'], flagKinds.values());
