// The contexts that are included or excluded by their keys: by context kind, with a search, and a field to paste many lines into.
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput, SelectInput, TextArea, TextInput } from '../../ui/input.tsx';
import { Badge } from '../../ui/status.tsx';
import { countKeys, type KeysByKind } from './segment.ts';
import { useContextKinds } from '../targeting/targeting-queries.ts';
import { SEGMENT } from './segments-words.ts';
import type { SegmentDraft } from './use-segment-draft.ts';

const SHOWN_AT_ONCE = 60;
/** No kind is called so. */
const OTHER = '*';

interface SegmentKeysProps {
  project: string;
  type: 'included' | 'excluded';
  draft: SegmentDraft;
  isLocked: boolean;
}

export function SegmentKeys({ project, type, draft, isLocked }: SegmentKeysProps) {
  const keys = draft.edited[type];
  const saved = draft.base[type];
  const title = SEGMENT[type];
  const [words, setWords] = useState('');
  const set = (kind: string, values: readonly string[]) => {
    const { [kind]: _, ...others } = keys;
    draft.edit({ [type]: values.length === 0 ? others : { ...others, [kind]: values } });
  };
  const total = countKeys(keys);
  return (
    <Card
      title={
        <>
          {title} <span className="muted">{formatCount(total)}</span>
        </>
      }
    >
      <div className="stack stack--16">
        <p className="t13 muted">{type === 'included' ? SEGMENT.includedText : SEGMENT.excludedText}</p>
        {total > 0 && (
          <FilterInput
            value={words}
            onChange={setWords}
            label={SEGMENT.search(title.toLowerCase())}
            hasSlashKey={type === 'included'}
          />
        )}
        {total === 0 && <p className="t13 muted">{SEGMENT.none}</p>}
        {Object.entries(keys).map(([kind, values]) => (
          <KindKeys
            key={kind}
            kind={kind}
            values={values}
            saved={saved[kind] ?? []}
            words={words}
            isLocked={isLocked}
            onChange={(next) => set(kind, next)}
          />
        ))}
        {!isLocked && (
          <AddKeys
            project={project}
            title={title}
            keys={keys}
            onAdd={(kind, added) => set(kind, [...new Set([...(keys[kind] ?? []), ...added])])}
          />
        )}
      </div>
    </Card>
  );
}

interface KindKeysProps {
  kind: string;
  values: readonly string[];
  saved: readonly string[];
  words: string;
  isLocked: boolean;
  onChange: (values: string[]) => void;
}

function KindKeys({ kind, values, saved, words, isLocked, onChange }: KindKeysProps) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const sought = words.trim().toLowerCase();
  const found = sought === '' ? values : values.filter((value) => value.toLowerCase().includes(sought));
  const known = new Set(saved);
  return (
    <section aria-label={kind}>
      <div className="row">
        <h3 className="mono t13">{kind}</h3>
        <span className="muted t13">{formatCount(values.length)}</span>
        {!isLocked && sought !== '' && found.length > 0 && (
          <Button
            size="xs"
            className="push"
            onClick={() => {
              const gone = new Set(found);
              onChange(values.filter((value) => !gone.has(value)));
            }}
          >
            {SEGMENT.removeAll(formatCount(found.length))}
          </Button>
        )}
      </div>
      {found.length === 0 && <p className="t13 muted">{SEGMENT.noKeyFits}</p>}
      <ul className="keylist" aria-label={kind}>
        {found.slice(0, shown).map((value) => (
          <li key={value} className={classNames('keylist__key', !known.has(value) && 'keylist__key--new')}>
            <span className="mono">{value}</span>
            {!known.has(value) && <Badge tone="ok">{SEGMENT.isNew}</Badge>}
            {!isLocked && (
              <Button
                tone="ghost"
                size="xs"
                icon="x"
                label={SEGMENT.remove(value)}
                onClick={() => onChange(values.filter((one) => one !== value))}
              />
            )}
          </li>
        ))}
      </ul>
      {found.length > shown && (
        <Button size="sm" onClick={() => setShown(shown * 4)}>
          {SEGMENT.more(formatCount(found.length - shown))}
        </Button>
      )}
    </section>
  );
}

interface AddKeysProps {
  project: string;
  title: string;
  keys: KeysByKind;
  onAdd: (kind: string, keys: string[]) => void;
}

function AddKeys({ project, title, keys, onAdd }: AddKeysProps) {
  const known = useContextKinds(project);
  const kinds = [...new Set([...known, ...Object.keys(keys)])];
  const [chosen, setChosen] = useState('user');
  const [other, setOther] = useState('');
  const [text, setText] = useState('');
  const kind = chosen === OTHER ? other.trim() : chosen;
  const present = new Set(keys[kind]);
  const added = linesOf(text).filter((key) => !present.has(key));
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (added.length === 0 || kind === '') return;
    onAdd(kind, added);
    setText('');
  };
  return (
    <form className="row row--wrap keyform" onSubmit={add} aria-label={SEGMENT.addTo(title)}>
      <Field label={SEGMENT.kind}>
        <SelectInput
          value={chosen}
          onValue={setChosen}
          options={[
            ...kinds.map((one) => ({ value: one, label: one })),
            { value: OTHER, label: SEGMENT.otherKind },
          ]}
        />
      </Field>
      {chosen === OTHER && (
        <Field label={SEGMENT.otherKind}>
          <TextInput isMono value={other} maxLength={100} onValue={setOther} />
        </Field>
      )}
      <div className="grow">
        <Field label={SEGMENT.paste}>
          <TextArea isMono rows={2} spellCheck={false} value={text} onValue={setText} />
        </Field>
      </div>
      <Button
        type="submit"
        icon="plus"
        disabledReason={added.length === 0 || kind === '' ? SEGMENT.addNothing : undefined}
      >
        {SEGMENT.add(added.length)}
      </Button>
    </form>
  );
}

/** Each once, without the spaces around them. */
export function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\r\n]+/).map((line) => line.trim()))].filter((line) => line !== '');
}
