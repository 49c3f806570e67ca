// What a copy does to each flag in each environment, or why it does nothing.
import type { CopiedFlag } from '../../api/types/signalbox.ts';
import { Status } from '../../ui/status.tsx';
import { Sentences } from '../save/difference.tsx';
import { COPY } from './compare-words.ts';

interface CopyItemsProps {
  items: readonly CopiedFlag[];
  targets: readonly string[];
  names: ReadonlyMap<string, string>;
  isDone: boolean;
}

export function CopyItems({ items, targets, names, isDone }: CopyItemsProps) {
  return (
    <>
      {targets.map((environment) => (
        <section key={environment} aria-label={COPY.in(environment)} className="stack stack--8">
          <h3 className="t13">{COPY.in(environment)}</h3>
          <ul className="stack stack--8 compare__items">
            {items
              .filter((item) => item.environment === environment)
              .map((item) => (
                <li key={item.flag} className="stack stack--4">
                  <span className="row row--wrap">
                    <b>{names.get(item.flag) ?? item.flag}</b>
                    <ItemState item={item} isDone={isDone} />
                  </span>
                  {item.reason !== undefined && <span className="t13">{item.reason}</span>}
                  {item.sentences.length > 0 && (
                    <Sentences sentences={item.sentences.map(({ sentence }) => sentence)} />
                  )}
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function ItemState({ item: { outcome }, isDone }: { item: CopiedFlag; isDone: boolean }) {
  if (outcome === 'refused') return <Status tone="bad">{isDone ? COPY.refused : COPY.wouldRefuse}</Status>;
  if (outcome === 'approval-required') return <Status tone="warn">{COPY.needsApproval}</Status>;
  if (outcome === 'same') return <Status tone="neutral">{COPY.unchanged}</Status>;
  return <Status tone="ok">{isDone ? COPY.changed : COPY.wouldChange}</Status>;
}
