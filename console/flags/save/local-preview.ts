// What a change does, as far as the instructions say it themselves: for servers that have no preview yet.
import type { PlannedChange } from './planned-change.ts';
import type { Preview } from './save-queries.ts';

export function localPreview({ instructions, version }: PlannedChange): Preview {
  return {
    version,
    sentences: instructions.map(({ kind }) => ({ sentence: wordsOf(kind), part: kind })),
    before: {},
    after: { instructions },
    guard: {
      environments: [],
      requiresComment: false,
      requiresConfirmation: false,
      isCritical: false,
      requiresApproval: false,
      mayBypassApproval: false,
      mayApply: true,
    },
  };
}

/** `updateOffVariation` is "Update off variation". */
function wordsOf(kind: string): string {
  const words = kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
