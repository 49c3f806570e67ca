// Before something is copied: what would change where, and why something would not. Afterwards: what was changed.
import type { CopiedFlag } from '../../api/types/signalbox.ts';
import { useState } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { words } from '../../ui/words.ts';
import type { Environment } from '../queries.ts';
import { GuardField } from '../save/guard-field.tsx';
import { needsTypedKey } from '../save/guard.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { copyCall, useCopy, useDryRun, type CopyPlan } from './compare-queries.ts';
import { COPY } from './compare-words.ts';
import { CopyItems } from './copy-items.tsx';

interface CopyDialogProps {
  project: string;
  plan: CopyPlan;
  environments: readonly Environment[];
  /** Of the flags, by their keys. */
  names: ReadonlyMap<string, string>;
  onClose: () => void;
  onCopied: () => void;
}

export function CopyDialog(props: CopyDialogProps) {
  const { project, plan, environments, names, onClose, onCopied } = props;
  const [comment, setComment] = useState('');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const targets = environments.filter(({ key }) => plan.to.includes(key));
  const guarded = targets.filter(needsTypedKey);
  const commented = targets.filter(({ requireComments }) => requireComments).map(({ key }) => key);
  const [ignoreConflicts, setIgnoring] = useState(false);
  const wanted = { ...plan, ...(ignoreConflicts && { ignoreConflicts }) };
  const dryRun = useDryRun(project, wanted, commented.length > 0 ? COPY.done : '');
  const copy = useCopy(project, wanted);
  useSayDraft(copyCall(project, wanted, false, comment.trim()));
  const untyped = guarded.find(({ key }) => typed[key]?.trim() !== key);
  const changes = dryRun.data?.changed ?? 0;
  const isContested =
    dryRun.data?.items.some(({ reason = '' }) => reason.includes('ignoreConflicts')) === true;
  if (copy.data !== undefined)
    return <CopyResult plan={plan} items={copy.data.items} names={names} onClose={onClose} />;
  const reason =
    dryRun.data === undefined
      ? COPY.wait
      : changes === 0
        ? COPY.noneChanged
        : commented.length > 0 && comment.trim() === ''
          ? COPY.commentFirst
          : untyped === undefined
            ? undefined
            : words.typeFirst(untyped.key);
  const isCritical = targets.some(({ critical }) => critical);
  return (
    <Dialog
      title={COPY.title(plan.from, plan.to)}
      text={COPY.text}
      width={760}
      tone={isCritical ? 'production' : 'normal'}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus="" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button
            tone={isCritical ? 'production' : 'primary'}
            disabledReason={reason}
            isBusy={copy.isPending}
            onClick={() => copy.mutate(comment.trim(), { onSuccess: onCopied })}
          >
            {COPY.confirm(changes, plan.from, plan.to)}
          </Button>
        </>
      }
    >
      {copy.error !== null && <ChangeError error={copy.error} />}
      {dryRun.error !== null && <ChangeError error={dryRun.error} />}
      {dryRun.data === undefined ? (
        dryRun.error === null && <Skeleton lines={6} />
      ) : (
        <>
          <Skipped items={dryRun.data.items} />
          <CopyItems items={dryRun.data.items} targets={plan.to} names={names} isDone={false} />
        </>
      )}
      {(isContested || ignoreConflicts) && (
        <Checkbox label={COPY.conflicts} isChecked={ignoreConflicts} onChange={setIgnoring} />
      )}
      <Field
        label={COPY.comment}
        optional={commented.length === 0}
        end={commented.length === 0 ? undefined : COPY.commentRequired(commented)}
      >
        <TextArea rows={2} maxLength={10_000} value={comment} onValue={setComment} />
      </Field>
      {guarded.map(({ key }) => (
        <GuardField
          key={key}
          place={key}
          value={typed[key] ?? ''}
          onChange={(text) => setTyped({ ...typed, [key]: text })}
        />
      ))}
    </Dialog>
  );
}

function Skipped({ items }: { items: readonly CopiedFlag[] }) {
  const count = items.filter(({ reason }) => reason !== undefined).length;
  return count === 0 ? null : <Banner tone="warn">{COPY.skipped(count)}</Banner>;
}

interface CopyResultProps {
  plan: CopyPlan;
  items: readonly CopiedFlag[];
  names: ReadonlyMap<string, string>;
  onClose: () => void;
}

function CopyResult({ plan, items, names, onClose }: CopyResultProps) {
  return (
    <Dialog
      title={COPY.doneTitle(plan.from, plan.to)}
      width={760}
      onClose={onClose}
      footer={
        <Button tone="primary" data-autofocus="" onClick={onClose}>
          {COPY.close}
        </Button>
      }
    >
      <Skipped items={items} />
      <CopyItems items={items} targets={plan.to} names={names} isDone />
    </Dialog>
  );
}
