// What a change does: in sentences, or as the difference of the JSON before and after.
import type { ChangePreview } from '../../api/types/signalbox.ts';
import '../../styles/save.css';
import { useState } from 'react';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextLink } from '../../ui/link.tsx';
import type { ChangeDetail, PlannedChange } from './planned-change.ts';
import { SAVE_WORDS as WORDS } from './save-words.ts';

export function Difference({ change, preview }: { change: PlannedChange; preview: ChangePreview }) {
  const [form, setForm] = useState<'sentences' | 'json'>('sentences');
  return (
    <div className="stack stack--8">
      <div className="row">
        <h3 className="grow t13">{WORDS.whatChanges}</h3>
        <Segmented
          size="sm"
          label={WORDS.form}
          value={form}
          onChange={setForm}
          options={[
            { value: 'sentences', label: WORDS.sentences },
            { value: 'json', label: WORDS.json },
          ]}
        />
      </div>
      {form === 'json' ? (
        <JsonDiff before={preview.before} after={preview.after} />
      ) : (
        <>
          <Sentences sentences={preview.sentences.map(({ sentence }) => sentence)} />
          {change.details !== undefined && <Details details={change.details} />}
        </>
      )}
      <Touches change={change} preview={preview} />
    </div>
  );
}

export function Sentences({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return <p className="t13 muted">{WORDS.nothing}</p>;
  return (
    <ul className="sdiff">
      {sentences.map((sentence, index) => (
        <li key={index}>{plainText(sentence)}</li>
      ))}
    </ul>
  );
}

function Details({ details }: { details: readonly ChangeDetail[] }) {
  return (
    <ul className="sdiff">
      {details.map(({ head, before, after }) => (
        <li key={head} className="sdiff__d">
          <span className="sdiff__h">{head}</span>
          {before !== undefined && <del>{before}</del>}
          {after !== undefined && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}

/** The marks of Markdown go: what people chose is shown as it is. */
export function plainText(sentence: string): string {
  return sentence.replace(/^\* /, '').replaceAll('**', '').replaceAll('`', '');
}

function Touches({
  change: { project },
  preview: { touches = [], touchesTotal = touches.length },
}: {
  change: PlannedChange;
  preview: ChangePreview;
}) {
  if (touches.length === 0) return null;
  return (
    <p className="help">
      {WORDS.touches(touchesTotal)}{' '}
      {touches.map(({ flag, name }, index) => (
        <span key={flag}>
          {index > 0 && ', '}
          <TextLink href={`/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag)}`}>
            {name}
          </TextLink>
        </span>
      ))}
      {touchesTotal > touches.length && ', …'}
    </p>
  );
}
