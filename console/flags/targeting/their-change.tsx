// Somebody saved something while a draft is open: who, what, and a look at it.
import { useState } from 'react';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { personName } from '../flag.ts';
import { useFlagHistory } from '../queries.ts';
import { changedParts, partsOfState } from '../save/parts.ts';
import { TARGETING_WORDS as WORDS } from './targeting-words.ts';
import type { Targeting } from './targeting.ts';

export interface TheirChangeProps {
  project: string;
  flag: string;
  /** What the draft began from. */
  base: Targeting;
  saved: Targeting;
}

export function TheirChange({ project, flag, base, saved }: TheirChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useFlagHistory(project, flag);
  const what = wordsOf(base, saved);
  if (what.length === 0) return null;
  const member = data?.items[0]?.member;
  const who = member === undefined ? WORDS.somebody : personName(member);
  return (
    <div className="over-track" role="status">
      <Banner
        tone="warn"
        action={
          <Button size="sm" onClick={() => setOpen(true)}>
            {WORDS.look}
          </Button>
        }
      >
        {WORDS.theirs(who, what.join(', '))}
      </Banner>
      {isOpen && (
        <Dialog
          title={WORDS.theirChange}
          text={WORDS.theirText}
          onClose={() => setOpen(false)}
          footer={<Button onClick={() => setOpen(false)}>{WORDS.closeIt}</Button>}
        >
          <JsonDiff before={base} after={saved} />
        </Dialog>
      )}
    </div>
  );
}

/** "rule 1", "the targets". */
function wordsOf(base: Targeting, saved: Targeting): string[] {
  const parts = [...changedParts(partsOfState(base), partsOfState(saved))];
  const names = parts.map((part) => {
    const [group, id] = part.split('/', 2);
    if (group === 'targets') return WORDS.targets.toLowerCase();
    if (group === 'prerequisites') return WORDS.prerequisites.toLowerCase();
    if (part === 'rules/order') return undefined;
    if (group === 'rules') {
      const at = [base, saved]
        .map(({ rules }) => rules.findIndex(({ _id }) => _id === id))
        .find((one) => one >= 0);
      return WORDS.rule((at ?? 0) + 1).toLowerCase();
    }
    if (part === 'fallthrough') return WORDS.defaultRule.toLowerCase();
    if (part === 'offVariation') return WORDS.offVariation.toLowerCase();
    return WORDS.trackEvents.toLowerCase();
  });
  const known = [...new Set(names.filter((name) => name !== undefined))];
  return known.length === 0 && parts.length > 0 ? [WORDS.orderOfRules] : known;
}
