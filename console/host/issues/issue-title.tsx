// The title of an issue or a pull request, which those who may change it edit in its place.
import { useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import type { RepositoryPlace } from '../place.ts';
import { useEditIssue } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';

const MAX_TITLE = 256;

export interface IssueTitleProps {
  place: RepositoryPlace;
  number: number;
  title: string;
  mayEdit: boolean;
  meta: ReactNode;
  actions?: ReactNode;
}

export function IssueTitle({ place, number, title, mayEdit, meta, actions }: IssueTitleProps) {
  const [isEditing, setEditing] = useState(false);
  useKeys({ e: () => setEditing(true) }, { isOn: mayEdit && !isEditing });
  if (isEditing)
    return <EditTitle place={place} number={number} title={title} onDone={() => setEditing(false)} />;
  return (
    <PageHead
      title={
        <span className="issue-title">
          {title} <span className="muted issue-number">#{number}</span>
        </span>
      }
      meta={meta}
      actions={
        <>
          {mayEdit && <Button icon="pen" label={ISSUE.editTitle} onClick={() => setEditing(true)} />}
          {actions}
        </>
      }
    />
  );
}

interface EditTitleProps {
  place: RepositoryPlace;
  number: number;
  title: string;
  onDone: () => void;
}

function EditTitle({ place, number, title, onDone }: EditTitleProps) {
  const [typed, setTyped] = useState(title);
  const edit = useEditIssue(place, number);
  const isEmpty = typed.trim() === '';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isEmpty) edit.mutate({ title: typed.trim() }, { onSuccess: onDone });
  };
  return (
    <form className="stack issue-rename" onSubmit={save}>
      <ChangeError error={edit.error} />
      <Field label={ISSUE.title} error={isEmpty && ISSUE.titleMissing}>
        <TextInput controlSize="lg" maxLength={MAX_TITLE} value={typed} onValue={setTyped} />
      </Field>
      <div className="row">
        <Button
          type="submit"
          tone="primary"
          isBusy={edit.isPending}
          disabledReason={isEmpty ? ISSUE.titleMissing : undefined}
        >
          {ISSUE.save}
        </Button>
        <Button onClick={onDone}>{ISSUE.cancel}</Button>
      </div>
    </form>
  );
}
