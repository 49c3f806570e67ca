// Changes members of a big segment by their keys, through the dialog that saves every change.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextArea } from '../../ui/input.tsx';
import { words } from '../../ui/words.ts';
import type { Instruction } from '../save/instruction.ts';
import { SaveDialog } from '../save/save-dialog.tsx';
import { countChangedKeys, MAX_CHANGED_KEYS } from './segment-instructions.ts';
import { linesOf } from './segment-keys.tsx';
import type { Segment } from './segment.ts';
import type { SegmentPlace } from './segments-queries.ts';
import { BIG, SEGMENT } from './segments-words.ts';

interface EditMembersProps {
  place: SegmentPlace;
  segment: Segment;
  onClose: () => void;
}

export function EditMembers({ place, segment, onClose }: EditMembersProps) {
  const [texts, setTexts] = useState({ include: '', exclude: '', forget: '' });
  const [isSaving, setSaving] = useState(false);
  const instructions = instructionsOf(texts);
  const count = countChangedKeys(instructions);
  const reason =
    instructions.length === 0
      ? BIG.nothing
      : count > MAX_CHANGED_KEYS
        ? SEGMENT.tooMany(formatCount(count), formatCount(MAX_CHANGED_KEYS))
        : undefined;
  if (isSaving)
    return (
      <SaveDialog
        change={{
          project: place.project,
          environment: place.environment,
          resource: { kind: 'segment', key: segment.key, name: segment.name },
          instructions,
          version: segment.version,
        }}
        onClose={() => setSaving(false)}
        onSaved={onClose}
      />
    );
  const fields = [
    ['include', BIG.includeKeys],
    ['exclude', BIG.excludeKeys],
    ['forget', BIG.forgetKeys],
  ] as const;
  return (
    <Dialog
      title={BIG.editTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button tone="primary" disabledReason={reason} onClick={() => setSaving(true)}>
            {BIG.review}
          </Button>
        </>
      }
    >
      <div className="stack">
        {fields.map(([name, label]) => (
          <Field key={name} label={label}>
            <TextArea
              isMono
              rows={3}
              spellCheck={false}
              value={texts[name]}
              onValue={(text) => setTexts({ ...texts, [name]: text })}
            />
          </Field>
        ))}
      </div>
    </Dialog>
  );
}

/** A key that is included leaves those that are excluded first, and the other way round. */
function instructionsOf(texts: { include: string; exclude: string; forget: string }): Instruction[] {
  const [include, exclude, forget] = [texts.include, texts.exclude, texts.forget].map(linesOf);
  const steps: [kind: string, values: string[]][] = [
    ['removeBigSegmentExcludedTargets', [...include!, ...forget!]],
    ['removeBigSegmentIncludedTargets', [...exclude!, ...forget!]],
    ['addBigSegmentIncludedTargets', include!],
    ['addBigSegmentExcludedTargets', exclude!],
  ];
  return steps.flatMap(([kind, values]) => (values.length === 0 ? [] : [{ kind, values }]));
}
